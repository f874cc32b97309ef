import Basics
import DaemonProtocol
public import Foundation
import Glibc
import Synchronization

/// A version of a document: the current one, one that lost a conflict and waits to be resolved, or one of its history.
///
/// Apple's name: `NSFileVersion`. What was current once is in the cloud for 30 days, the newest 10 of a document; see ``getNonlocalVersionsOfItem(at:completionHandler:)``.
/// Programs add others by ``addOfItem(at:withContentsOf:options:)``, which this machine keeps.
// What changes is behind a Mutex.
open class NSFileVersion: NSObject, @unchecked Sendable {
    /// How ``replaceItem(at:options:)`` replaces.
    public struct ReplacingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The version is gone afterwards.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// Where its content can be read, by a coordinated read if it is not here. It is read-only.
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
    let isOfHistory: Bool
    let document: URL
    let added: Mutex<AddedVersion?>
    let wasResolved = Mutex(false)

    init(_ version: DocumentVersion, of document: URL) {
        // The document may have been named by a link.
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
        // A document that has gone by now has no date.
        let values = try? FileManager.default.attributesOfItem(atPath: url.path)
        modificationDate = values?[.modificationDate] as? Date
        persistentIdentifier = NSString(string: "current")
        document = url
        (isConflict, isOfHistory) = (false, false)
        added = Mutex(nil)
    }

    /// A version that is gone, a conflict that was resolved or one of the history: only its name is left.
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

    // MARK: Which there are

    /// The version that the document shows; nil if there is none.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard WantedItem.exists(url.path) else { return nil }
        // Where the daemon can not be asked, the document itself is what is known of it.
        return (try? known(of: url))?.first { !$0.isConflict && !$0.isOfHistory } ?? NSFileVersion(current: url)
    }

    /// The versions beside the current one that can be read at once: what lost a conflict, what was fetched of the history, and what programs added.
    /// Nil if there is no such document.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard WantedItem.exists(url.path) else { return nil }
        return all(of: url).filter { $0.isConflict || $0.isAdded || $0.isOfHistory && $0.hasLocalContents }
    }

    /// The versions that lost a conflict and are not resolved; nil if there is no such document, or it is in no container.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard WantedItem.exists(url.path), ClaimRouter.shared.route(url).mount != nil else { return nil }
        return all(of: url).filter(\.isConflict)
    }

    /// The history that is in the cloud only. A coordinated read of a version's ``url`` fetches it; so does ``replaceItem(at:options:)``. Then it is
    /// among ``otherVersionsOfItem(at:)``. The handler is called on a thread of its own.
    open class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            do throws(DaemonFailure) {
                completionHandler(try known(of: url).filter { $0.isOfHistory && !$0.hasLocalContents }, nil)
            } catch { completionHandler(nil, error.cocoa(url)) }
        }
    }

    /// The version that had that identifier.
    open class func version(itemAt url: URL, forPersistentIdentifier identifier: Any) -> NSFileVersion? {
        guard let text = identifier as? NSString else { return nil }
        return all(of: url).first { ($0.persistentIdentifier as? NSString) == text }
    }

    /// Removes what ``otherVersionsOfItem(at:)`` lists. Inside a coordinated write.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        for version in otherVersionsOfItem(at: url) ?? [] { try version.remove() }
    }

    /// Without the versions of the daemon where that cannot be asked.
    private class func all(of url: URL) -> [NSFileVersion] {
        ((try? known(of: url)) ?? []) + AddedVersions.list(of: url).map { NSFileVersion($0, of: url) }
    }

    /// The versions that the daemon knows.
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

    /// True for what is no conflict. Setting it to true resolves this version: it is gone from every device, and with it what is at ``url``;
    /// so put it in the document's place first if it is to win. Setting it to false does nothing.
    open var isResolved: Bool {
        get { !isConflict || wasResolved.withLock { $0 } }
        set {
            // A version that can not be removed stays unresolved, which is what the property goes on to say.
            if newValue, isConflict { try? remove() }
        }
    }

    var isAdded: Bool { added.withLock { $0 != nil } }

    /// Whether it may be reclaimed: a copy of what the cloud has, or one that a program added and said so of, once there are ten newer ones.
    /// Setting it to false, or that of another version, does nothing.
    open var isDiscardable: Bool {
        get { isOfHistory || added.withLock { $0?.isDiscardable ?? false } }
        set {
            guard newValue else { return }
            added.withLock { added in
                guard var version = added, !version.isDiscardable else { return }
                version.isDiscardable = true
                // Where that can not be written it stays what it was, which is kept.
                if (try? AddedVersions.update(version)) != nil { added = version }
            }
        }
    }

    /// Always nil: an account is one person's, and their name is not known here.
    open var originatorNameComponents: PersonNameComponents? { nil }
    /// Whether its bytes are here. A coordinated read at ``url`` fetches them otherwise.
    open var hasLocalContents: Bool {
        isOfHistory
            ? FileManager.default.fileExists(atPath: url.path)
            : MountAuthority.attribute("status", of: url.path) != "notDownloaded"
    }
    open var hasThumbnail: Bool { false }
}
