import Basics
import DaemonProtocol
public import Foundation
import Glibc
import Synchronization

/// A version of a document: current, unresolved after losing a conflict, or part of its history.
///
/// Apple's name: `NSFileVersion`. The cloud keeps formerly current versions for 30 days, at most the newest 10 of a
/// document; see ``getNonlocalVersionsOfItem(at:completionHandler:)``. Programs add further versions with
/// ``addOfItem(at:withContentsOf:options:)``, kept only on this machine.
// Mutable state is behind a Mutex.
open class NSFileVersion: NSObject, @unchecked Sendable {
    /// Options of ``replaceItem(at:options:)``.
    public struct ReplacingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Removes the version after it has replaced the item.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// The read-only file with the version's content. A coordinated read downloads the content if it is not local.
    public let url: URL
    /// The document's name.
    public let localizedName: String?
    /// The name of the saving device.
    public let localizedNameOfSavingComputer: String?
    public let modificationDate: Date?
    /// Identifies the version for ``version(itemAt:forPersistentIdentifier:)``.
    public let persistentIdentifier: any NSCoding
    /// Whether the version lost a conflict.
    public let isConflict: Bool
    let isOfHistory: Bool
    let document: URL
    let added: Mutex<AddedVersion?>
    let wasResolved = Mutex(false)

    init(_ version: DocumentVersion, of document: URL) {
        // The caller may have named the document by a symbolic link, so its URL is kept.
        url = version.kind == .current ? document : URL(filePath: version.file)
        self.document = document
        localizedName = document.lastPathComponent
        localizedNameOfSavingComputer = version.device
        modificationDate = Date(timeIntervalSince1970: Double(version.modified.timestamp.nanoseconds) / 1e9)
        persistentIdentifier = NSString(string: version.version)
        isConflict = version.kind == .conflict
        isOfHistory = version.kind == .history
        added = Mutex(nil)
    }

    init(_ added: AddedVersion, of document: URL) {
        url = added.url
        self.document = document
        localizedName = document.lastPathComponent
        localizedNameOfSavingComputer = added.computer
        modificationDate = added.modified
        persistentIdentifier = NSString(string: added.id)
        (isConflict, isOfHistory) = (false, false)
        self.added = Mutex(added)
    }

    private init(current url: URL) {
        self.url = url
        localizedName = url.lastPathComponent
        localizedNameOfSavingComputer = nil
        // A meanwhile deleted document has no date.
        let values = try? FileManager.default.attributesOfItem(atPath: url.path)
        modificationDate = values?[.modificationDate] as? Date
        persistentIdentifier = NSString(string: "current")
        document = url
        (isConflict, isOfHistory) = (false, false)
        added = Mutex(nil)
    }

    /// Creates a version that no longer exists, a resolved conflict or a version of the history: only its
    /// identifier is left.
    init(gone version: String, wasConflict: Bool, of document: URL) {
        url = document
        self.document = document
        localizedName = document.lastPathComponent
        localizedNameOfSavingComputer = nil
        modificationDate = nil
        persistentIdentifier = NSString(string: version)
        (isConflict, isOfHistory) = (wasConflict, !wasConflict)
        added = Mutex(nil)
        if wasConflict { wasResolved.withLock { $0 = true } }
    }

    // MARK: Lists

    /// Returns the document's current version; nil if there is no document.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard WantedItem.exists(url.path) else { return nil }
        // If the daemon is unreachable, only the document itself is known.
        return (try? known(of: url))?.first { !$0.isConflict && !$0.isOfHistory } ?? NSFileVersion(current: url)
    }

    /// Returns immediately readable versions beside the current version: those that lost a conflict, fetched versions
    /// of the history, and versions added by programs. Nil if there is no such document.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard WantedItem.exists(url.path) else { return nil }
        return all(of: url).filter { $0.isConflict || $0.isAdded || $0.isOfHistory && $0.hasLocalContents }
    }

    /// Returns unresolved conflict versions; nil if there is no such document, or it is in no container.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard WantedItem.exists(url.path), ClaimRouter.shared.route(url).mount != nil else { return nil }
        return all(of: url).filter(\.isConflict)
    }

    /// Passes the cloud-only history to the handler, called on a separate thread.
    ///
    /// A coordinated read of a version's ``url`` fetches the version; so does ``replaceItem(at:options:)``. After that,
    /// ``otherVersionsOfItem(at:)`` lists it.
    open class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            do throws(DaemonFailure) {
                completionHandler(try known(of: url).filter { $0.isOfHistory && !$0.hasLocalContents }, nil)
            } catch { completionHandler(nil, error.cocoa(url)) }
        }
    }

    /// Returns the version with the identifier; nil if there is none.
    open class func version(itemAt url: URL, forPersistentIdentifier identifier: Any) -> NSFileVersion? {
        guard let text = identifier as? NSString else { return nil }
        return all(of: url).first { ($0.persistentIdentifier as? NSString) == text }
    }

    /// Removes the versions listed by ``otherVersionsOfItem(at:)``. Call this inside a coordinated write.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        for version in otherVersionsOfItem(at: url) ?? [] { try version.remove() }
    }

    /// Returns all versions; without the daemon's versions if it cannot be reached.
    private class func all(of url: URL) -> [NSFileVersion] {
        ((try? known(of: url)) ?? []) + AddedVersions.list(of: url).map { NSFileVersion($0, of: url) }
    }

    /// Returns the versions known to the daemon.
    private class func known(of url: URL) throws(DaemonFailure) -> [NSFileVersion] {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else { return [] }
        let answer = try mount.call(VersionsRequest(path: try mount.path(route.path)))
        for version in answer.versions where version.kind == .history {
            VersionDirectory.shared.add(version, of: route.path, mount)
        }
        return answer.versions.map { NSFileVersion($0, of: url) }
    }

    // MARK: State

    /// Whether the version is resolved; true for any version that is not a conflict.
    ///
    /// Setting this to true resolves the version: it is removed from every device together with the file at ``url``. If
    /// the version should win, replace the document with it first. Setting this to false has no effect.
    open var isResolved: Bool {
        get { !isConflict || wasResolved.withLock { $0 } }
        set {
            // An unremovable version stays unresolved, and the property continues to say so.
            if newValue, isConflict { try? remove() }
        }
    }

    var isAdded: Bool { added.withLock { $0 != nil } }

    /// Whether the version may be reclaimed: it is a copy of a version in the cloud, or the program that added it
    /// marked it as discardable, in which case it is removed once there are ten newer versions.
    ///
    /// Setting this to false, or on a version not added by a program, has no effect.
    open var isDiscardable: Bool {
        get { isOfHistory || added.withLock { $0?.isDiscardable ?? false } }
        set {
            guard newValue else { return }
            added.withLock { added in
                guard var version = added, !version.isDiscardable else { return }
                version.isDiscardable = true
                // If the change cannot be written, the version stays as it was and is kept.
                if (try? AddedVersions.update(version)) != nil { added = version }
            }
        }
    }

    /// Always nil: an account belongs to one person, whose name is unknown to this library.
    open var originatorNameComponents: PersonNameComponents? { nil }
    /// Whether the version's bytes are local. If not, a coordinated read at ``url`` fetches them.
    open var hasLocalContents: Bool {
        isOfHistory
            ? FileManager.default.fileExists(atPath: url.path)
            : MountAuthority.attribute("status", of: url.path) != "notDownloaded"
    }
    open var hasThumbnail: Bool { false }
}
