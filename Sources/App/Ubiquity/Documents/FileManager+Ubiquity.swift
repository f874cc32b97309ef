import Basics
import CloudModel
import DaemonProtocol
public import Foundation
import Glibc

extension FileManager {
    /// Whether the item is in a container of the cloud. It says nothing of whether it was uploaded.
    public func isUbiquitousItem(at url: URL) -> Bool {
        let route = ClaimRouter.shared.route(url)
        return route.mount != nil && MountAuthority.attribute("itemID", of: route.path) != nil
    }

    /// Has the bytes of an item fetched, or those of everything in a folder. Returns when that has begun, or they are here.
    ///
    /// Throws `CocoaError.fileNoSuchFile`, or `featureUnsupported` for what is in no container.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        let (mount, path) = try ubiquitous(url)
        try check(url) { try mount.call(DownloadRequest(paths: [try mount.path(path)], wait: false)) }
    }

    /// Drops the bytes of an item here; they stay in the cloud. Not inside a coordinated write of it.
    ///
    /// Throws if they are not in the cloud yet, pinned, or in use.
    public func evictUbiquitousItem(at url: URL) throws {
        let (mount, path) = try ubiquitous(url)
        try check(url) { try mount.call(EvictRequest(paths: [try mount.path(path)])) }
    }

    /// The folder of a container, made if there is none: what is in its `Documents` folder is what its user sees. Nil where nothing is mounted,
    /// or for a name that no container can have.
    ///
    /// - Parameter containerIdentifier: As `com.example.notes`; nil is the container that everybody has.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        guard let root = ClaimRouter.shared.principalMount?.root else { return nil }
        guard let name = containerIdentifier.map({ ContainerName($0) }) ?? .cloudDocs else { return nil }
        let folder = "\(root)/\(name.folderName)"
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { return nil }
        return URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// Stands for the account that this program uses on this device: equal as long as all three are the same, and without a meaning to anybody
    /// else. Nil where nothing is mounted, and after `ubiquity logout`. ``Foundation/NSNotification/Name/NSUbiquityIdentityDidChange`` is
    /// posted when it changes.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        let identity = UbiquityIdentity.current()
        IdentityWatch.shared.note(identity)
        return identity.map { NSString(string: $0) }
    }

    /// Moves an item into a container, or out of one to a folder that belongs to this machine alone; then it leaves the cloud on all devices.
    /// Presenters of this program follow it, also those of what is in a folder. An item whose bytes are not here is fetched first.
    ///
    /// Coordinates by itself and may take as long as a download: not on the main thread, not inside a coordinated write of the item.
    ///
    /// - Throws: Errors of Cocoa's domain, as `FileManager.moveItem(at:to:)`: `fileWriteFileExists` where something is at the destination,
    ///   `fileNoSuchFile`, `fileWriteOutOfSpace`; and `ubiquitousFileUnavailable` where the cloud cannot be reached. The item is where it was
    ///   then.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        try BorderMove(isIntoCloud: flag, from: url, to: destinationURL).run()
    }

    /// A link with which everybody can read what the document is now: a file that is uploaded, in a cloud on ubiquity-server.
    ///
    /// - Parameter outDate: Gets when the link ends, which is after 30 days.
    public func url(
        forPublishingUbiquitousItemAt url: URL, expiration outDate: UnsafeMutablePointer<NSDate?>?
    ) throws -> URL {
        let (mount, path) = try ubiquitous(url)
        let link = try inCocoaTerms(url) {
            try mount.call(PublishRequest(path: try mount.path(path), seconds: 30 * 86_400, timeout: 0))
        }
        guard let found = URL(string: link.url) else {
            throw CoordinationFailure.error(.fileReadUnknown, "The daemon gave no link for \(url.path).", at: url)
        }
        outDate?.pointee = NSDate(timeIntervalSince1970: Double(link.expires.timestamp.nanoseconds) / 1e9)
        return found
    }

    private func ubiquitous(_ url: URL) throws -> (MountAuthority, String) {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is in no container.", at: url)
        }
        return (mount, route.path)
    }

    private func check(_ url: URL, _ call: () throws -> ItemsResponse) throws {
        try inCocoaTerms(url) {
            if let failure = try call().outcomes.first?.failure { throw failure }
        }
    }

    /// Converts failures of the daemon into the errors that programs know.
    private func inCocoaTerms<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as DaemonFailure { throw failure.cocoa(url) }
    }
}

/// Of the error behind an upload that failed because another device wrote the document too. Where Apple's is of `NSFileProviderErrorDomain`.
public let UbiquityErrorDomain = "UbiquityErrorDomain"
public let UbiquityLocalVersionConflictingWithServerError = 1

extension DaemonFailure {
    func cocoa(_ url: URL) -> NSError {
        let code: CocoaError.Code =
            switch self.code {
            case .notFound: .fileNoSuchFile
            case .offline, .timedOut: .ubiquitousFileUnavailable
            case .busy, .pinned: .fileLocking
            case .notUploaded: .ubiquitousFileNotUploadedDueToQuota
            case .diskFull: .fileWriteOutOfSpace
            case .permissionDenied: .fileWriteNoPermission
            default: .fileWriteUnknown
            }
        let error = CoordinationFailure.error(code, description, at: url)
        guard self.code == .conflict else { return error }
        let cause = NSError(domain: UbiquityErrorDomain, code: UbiquityLocalVersionConflictingWithServerError)
        return NSError(
            domain: error.domain, code: error.code,
            userInfo: error.userInfo.merging([NSUnderlyingErrorKey: cause]) { first, _ in first })
    }
}

extension String {
    /// Sixteen digits that differ between texts and do not reveal them (FNV-1a).
    var hashed: String {
        String(utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
