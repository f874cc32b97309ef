import CloudModel
import DaemonProtocol
public import Foundation

/// The values returned by `URL.resourceValues(forKeys:)` where this library is imported: Foundation's values, and the
/// item's state in the cloud.
///
/// The type has every member of Foundation's `URLResourceValues`. Foundation on Linux never fills the ubiquitous
/// members; this library fills them.
@dynamicMemberLookup
public struct ItemResourceValues {
    /// Foundation's values.
    public let file: URLResourceValues
    /// The values from the mount's daemon.
    public let ubiquitous: UbiquitousItemValues
    /// Whether the item is a folder treated as a single document. Foundation on Linux returns false for every item.
    public let isPackage: Bool?

    public subscript<Value>(dynamicMember member: KeyPath<UbiquitousItemValues, Value>) -> Value {
        ubiquitous[keyPath: member]
    }

    @_disfavoredOverload
    public subscript<Value>(dynamicMember member: KeyPath<URLResourceValues, Value>) -> Value { file[keyPath: member] }

    /// The item's requested values.
    public var allValues: [URLResourceKey: Any] {
        var values = file.allValues
        if let isPackage { values[.isPackageKey] = isPackage }
        return values.merging(ubiquitous.allValues) { _, own in own }
    }
}

extension URL {
    /// Returns values of the item, including its state in the cloud. Nothing is downloaded.
    ///
    /// The compiler prefers this method to Foundation's if the keys are an array literal. Keys in a variable of type
    /// `Set` select Foundation's method, whose ubiquitous values are always nil on Linux; reading these does not
    /// compile, see ``Foundation/URLResourceValues/isUbiquitousItem``. Pass `Array(keys)` in that case.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile`, and the daemon's errors.
    public func resourceValues(forKeys keys: [URLResourceKey]) throws -> ItemResourceValues {
        let ours = Set(keys).intersection(URLResourceKey.ubiquitousKeys)
        var others = Set(keys).subtracting(URLResourceKey.ubiquitousKeys)
        let isPackageWanted = others.remove(.isPackageKey) != nil
        let file: URLResourceValues = try others.isEmpty ? URLResourceValues() : resourceValues(forKeys: others)
        let ubiquitous = try ours.isEmpty ? UbiquitousItemValues() : promisedItemResourceValues(forKeys: ours)
        return ItemResourceValues(
            file: file, ubiquitous: ubiquitous, isPackage: try isPackageWanted ? isPackage() : nil)
    }

    /// Sets the settable part of an item's state in the cloud: ``UbiquitousItemValues/ubiquitousItemIsExcludedFromSync``.
    public func setResourceValues(_ values: UbiquitousItemValues) throws {
        guard let isExcluded = values.ubiquitousItemIsExcludedFromSync else { return }
        try FileManager.default.setIsExcludedFromSync(isExcluded, at: self)
    }

    /// Returns true if an item exists, whether or not its bytes are local.
    ///
    /// - Throws: `CocoaError.fileReadNoSuchFile` if there is no item.
    public func checkPromisedItemIsReachable() throws -> Bool {
        guard WantedItem.exists(ClaimRouter.shared.route(self).path) else {
            throw CoordinationFailure.error(.fileReadNoSuchFile, "\(path) does not exist.", at: self)
        }
        return true
    }

    private func isPackage() throws -> Bool {
        let route = ClaimRouter.shared.route(self)
        guard let mount = route.mount else {
            // Outside mounts, only the name decides.
            let isFolder = try resourceValues(forKeys: Set([.isDirectoryKey])).isDirectory
            return isFolder == true && ((try? ItemName(lastPathComponent)).map(PackageTypes.isPackage) ?? false)
        }
        return try mount.status(of: route.path, self)?.kind == .package
    }
}

extension NSURL {
    /// Gets a value known to `URL.resourceValues(forKeys:)`; nil if the item does not have it.
    public func getPromisedItemResourceValue(_ value: inout AnyObject?, forKey key: URLResourceKey) throws {
        value = try promisedItemResourceValues(forKeys: [key])[key].map { $0 as AnyObject }
    }

    /// Returns the item's requested values.
    public func promisedItemResourceValues(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        try (self as URL).resourceValues(forKeys: keys).allValues
    }
}

/// Foundation declares these properties and fills none of them on Linux. A second declaration makes the compiler reject
/// their use as ambiguous; otherwise a program would take nil for the state of its document.
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
