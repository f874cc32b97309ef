import Basics
import DaemonProtocol
public import Foundation
import Glibc
import Synchronization

/// A version of a document: the current one, or one that lost a conflict and waits to be resolved.
///
/// Apple's name: `NSFileVersion`. The daemon keeps no history beside that, so there are no other versions.
// What changes is behind a Mutex.
open class NSFileVersion: NSObject, @unchecked Sendable {
    /// How ``replaceItem(at:options:)`` replaces.
    public struct ReplacingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The version is gone afterwards.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// Where its content can be read, by a coordinated read if it is not here. Nobody writes there.
    public let url: URL
    /// The name of the document.
    public let localizedName: String?
    /// The device that made it.
    public let localizedNameOfSavingComputer: String?
    public let modificationDate: Date?
    /// Finds it again: ``version(itemAt:forPersistentIdentifier:)``.
    public let persistentIdentifier: any NSCoding
    /// It lost a conflict.
    public let isConflict: Bool
    private let wasResolved = Mutex(false)

    private init(_ side: ConflictSide, _ url: URL, of document: URL, isConflict: Bool) {
        self.url = url
        localizedName = document.lastPathComponent
        localizedNameOfSavingComputer = side.device
        modificationDate = Date(timeIntervalSince1970: Double(side.modified.timestamp.nanoseconds) / 1e9)
        persistentIdentifier = NSString(string: side.version)
        self.isConflict = isConflict
    }

    private init(current url: URL) {
        self.url = url
        localizedName = url.lastPathComponent
        localizedNameOfSavingComputer = nil
        // A document that has gone by now has no date.
        let values = try? FileManager.default.attributesOfItem(atPath: url.path)
        modificationDate = values?[.modificationDate] as? Date
        persistentIdentifier = NSString(string: "current")
        isConflict = false
    }

    /// A version that is gone: only its name is left.
    init(resolved version: String, of document: URL) {
        url = document
        localizedName = document.lastPathComponent
        localizedNameOfSavingComputer = nil
        modificationDate = nil
        persistentIdentifier = NSString(string: version)
        isConflict = true
        wasResolved.withLock { $0 = true }
    }

    /// Nil if it has been resolved by now.
    class func conflict(_ version: String, of url: URL) -> NSFileVersion? {
        unresolvedConflictVersionsOfItem(at: url)?.first {
            ($0.persistentIdentifier as? NSString) == NSString(string: version)
        }
    }

    // MARK: Which there are

    /// The version that the document shows; nil if there is none.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard WantedItem.exists(url.path) else { return nil }
        guard let conflict = conflict(of: url) else { return NSFileVersion(current: url) }
        return NSFileVersion(conflict.item.current, url, of: url, isConflict: false)
    }

    /// Those that lost a conflict; the current one is never among them. Nil if there is no such document.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        WantedItem.exists(url.path) ? unresolvedConflictVersionsOfItem(at: url) ?? [] : nil
    }

    /// Those that lost a conflict which nobody has resolved; nil if there is no such document, or it is in no container.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard WantedItem.exists(url.path), ClaimRouter.shared.route(url).mount != nil else { return nil }
        guard let (item, root) = conflict(of: url) else { return [] }
        return item.versions.map { side in
            NSFileVersion(side, URL(filePath: "\(root)/\(side.path)"), of: url, isConflict: true)
        }
    }

    /// The version that had that identifier.
    open class func version(itemAt url: URL, forPersistentIdentifier identifier: Any) -> NSFileVersion? {
        guard let text = identifier as? NSString else { return nil }
        let all = [currentVersionOfItem(at: url)].compactMap(\.self) + (otherVersionsOfItem(at: url) ?? [])
        return all.first { ($0.persistentIdentifier as? NSString) == text }
    }

    /// Removes all versions that lost a conflict: the document is as it is. Inside a coordinated write.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        for version in otherVersionsOfItem(at: url) ?? [] { try version.remove() }
    }

    private class func conflict(of url: URL) -> (item: ConflictedItem, root: String)? {
        let route = ClaimRouter.shared.route(url)
        // Where the daemon can not be asked there are no versions to be had.
        guard let mount = route.mount, let path = try? mount.path(route.path),
            case .conflicts(let response) = try? mount.call(.conflicts(ConflictsRequest(path: path))),
            let item = response.conflicts.first(where: { $0.path == path })
        else { return nil }
        return (item, mount.root)
    }

    // MARK: State

    /// True for what is no conflict. Setting it to true resolves this version: it is gone from every device, and with it what is at ``url``;
    /// so put it in the document's place first if it is to win. Setting it to false does nothing.
    open var isResolved: Bool {
        get { !isConflict || wasResolved.withLock { $0 } }
        set {
            // A version that can not be removed stays unresolved, which is what the property goes on to say.
            if newValue, isConflict { try? remove() }
        }
    }

    /// Whether it may be reclaimed when space is short: never.
    open var isDiscardable: Bool { false }
    /// Whether its bytes are here. Reading at ``url`` fetches them otherwise.
    open var hasLocalContents: Bool { MountAuthority.attribute("status", of: url.path) != "notDownloaded" }
    open var hasThumbnail: Bool { false }

    // MARK: What can be done with it

    /// Puts the content of this version in the document's place. Inside a coordinated write of the document. Answers the document's URL.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        let route = ClaimRouter.shared.route(self.url)
        if !hasLocalContents, let mount = route.mount {
            do { try mount.download(route.path) } catch { throw error.cocoa(self.url) }
        }
        // A name that stays on this device; renamed over the document, the file becomes that document.
        let copy = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).tmp")
        try FileManager.default.copyItem(at: self.url, to: copy)
        guard chmod(copy.path, 0o644) == 0, rename(copy.path, url.path) == 0 else {
            let message = "The version can not take the place of \(url.path): \(String(cString: strerror(errno)))"
            try FileManager.default.removeItem(at: copy)
            throw CoordinationFailure.error(.fileWriteUnknown, message, at: url)
        }
        if options.contains(.byMoving), isConflict { try remove() }
        return url
    }

    /// Resolves the version by dropping it, on every device. The current one can not be removed.
    open func remove() throws {
        guard isConflict else {
            throw CoordinationFailure.error(
                .fileWriteUnknown, "The current version of a document can not be removed; delete the document.", at: url
            )
        }
        if !wasResolved.withLock({ $0 }) { try FileManager.default.removeItem(at: url) }
        wasResolved.withLock { $0 = true }
    }
}
