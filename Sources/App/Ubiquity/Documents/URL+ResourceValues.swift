import CloudModel
import ContainerLog
import DaemonProtocol
public import Foundation

/// What `URL.resourceValues(forKeys:)` returns where this library is imported: what Foundation knows of the item, and its state in the cloud.
///
/// It has every member of Foundation's `URLResourceValues`. Foundation on Linux never fills the ubiquitous ones, so these are filled here.
@dynamicMemberLookup
public struct ItemResourceValues {
    /// What Foundation has filled.
    public let file: URLResourceValues
    /// What the daemon of the mount has filled.
    public let ubiquitous: UbiquitousItemValues
    /// Whether the item is a folder that is one document. Foundation on Linux says false of every item.
    public let isPackage: Bool?

    public subscript<Value>(dynamicMember member: KeyPath<UbiquitousItemValues, Value>) -> Value {
        ubiquitous[keyPath: member]
    }

    @_disfavoredOverload
    public subscript<Value>(dynamicMember member: KeyPath<URLResourceValues, Value>) -> Value { file[keyPath: member] }

    /// The values that the item has of those that were asked for.
    public var allValues: [URLResourceKey: Any] {
        var values = file.allValues
        if let isPackage { values[.isPackageKey] = isPackage }
        return values.merging(ubiquitous.allValues) { _, own in own }
    }
}

extension URL {
    /// What is known of the item, also of its state in the cloud; nothing is downloaded for it.
    ///
    /// The compiler prefers this to Foundation's method wherever the keys are written as a literal. Keys in a variable of the type `Set` lead
    /// to Foundation's, whose ubiquitous values are always nil on Linux; reading one of those does not compile, see
    /// ``Foundation/URLResourceValues/isUbiquitousItem``. Pass `Array(keys)` then.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile`, and what the daemon reports.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> ItemResourceValues {
        let ours = Set(keys).intersection(URLResourceKey.ubiquitousKeys)
        var others = Set(keys).subtracting(URLResourceKey.ubiquitousKeys)
        let isPackageWanted = others.remove(.isPackageKey) != nil
        let file: URLResourceValues = try others.isEmpty ? URLResourceValues() : resourceValues(forKeys: others)
        let ubiquitous = try ours.isEmpty ? UbiquitousItemValues() : promisedItemResourceValues(forKeys: ours)
        return ItemResourceValues(
            file: file, ubiquitous: ubiquitous, isPackage: try isPackageWanted ? isPackage() : nil)
    }

    /// Sets what can be set of an item's state in the cloud: ``UbiquitousItemValues/ubiquitousItemIsExcludedFromSync``.
    public func setResourceValues(_ values: UbiquitousItemValues) throws {
        guard let isExcluded = values.ubiquitousItemIsExcludedFromSync else { return }
        try FileManager.default.setIsExcludedFromSync(isExcluded, at: self)
    }

    /// True where an item is, whether or not its bytes are here.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile` where none is.
    public func checkPromisedItemIsReachable() throws -> Bool {
        guard WantedItem.exists(ClaimRouter.shared.route(self).path) else {
            throw CoordinationFailure.error(.fileReadNoSuchFile, "There is nothing at \(path).", at: self)
        }
        return true
    }

    private func isPackage() throws -> Bool {
        let route = ClaimRouter.shared.route(self)
        guard let mount = route.mount else {
            // Outside of mounts only the name says so.
            let isFolder = try resourceValues(forKeys: Set([.isDirectoryKey])).isDirectory
            return isFolder == true && ((try? ItemName(lastPathComponent)).map(PackageTypes.isPackage) ?? false)
        }
        return try mount.status(of: route.path, self)?.kind == .package
    }
}

extension NSURL {
    /// One value of the item, of those that `URL.resourceValues(forKeys:)` knows; nil if it has none.
    public func getPromisedItemResourceValue(_ value: inout AnyObject?, forKey key: URLResourceKey) throws {
        value = try promisedItemResourceValues(forKeys: [key])[key].map { $0 as AnyObject }
    }

    /// The values that the item has of those that are asked for.
    public func promisedItemResourceValues(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        try (self as URL).resourceValues(forKeys: keys).allValues
    }
}

/// Foundation declares these and fills none of them on Linux. A second declaration makes the compiler refuse their use as ambiguous, where
/// the program would take nil for the state of its document.
extension URLResourceValues {
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var isUbiquitousItem: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemHasUnresolvedConflicts: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemIsDownloading: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemIsUploaded: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemIsUploading: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemDownloadingError: NSError? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemUploadingError: NSError? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemDownloadRequested: Bool? { nil }
    @available(*, deprecated, message: "Pass the keys as an array literal, or as Array(keys).")
    public var ubiquitousItemContainerDisplayName: String? { nil }
}
