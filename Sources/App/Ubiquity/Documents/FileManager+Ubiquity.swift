import Basics
import CloudModel
import DaemonProtocol
public import Foundation
import Glibc

extension FileManager {
    /// Returns whether the item is in a cloud container, whether or not it was uploaded.
    public func isUbiquitousItem(at url: URL) -> Bool {
        let route = ClaimRouter.shared.route(url)
        return route.mount != nil && MountAuthority.attribute("itemID", of: route.path) != nil
    }

    /// Starts the download of an item, or of everything in a folder. Returns when the download has begun, or if the
    /// bytes are already local.
    ///
    /// - Throws: `CocoaError.fileNoSuchFile`, or `featureUnsupported` for an item outside any container.
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        let (mount, path) = try ubiquitous(url)
        try check(url) { try mount.call(DownloadRequest(paths: [try mount.path(path)], wait: false)) }
    }

    /// Removes the local copy of an item; the cloud keeps its bytes. Do not call this inside a coordinated write of the item.
    ///
    /// - Throws: `CocoaError.ubiquitousFileNotUploadedDueToQuota` if the bytes are not in the cloud yet, `fileLocking` if they are pinned
    ///   or in use.
    public func evictUbiquitousItem(at url: URL) throws {
        let (mount, path) = try ubiquitous(url)
        try check(url) { try mount.call(EvictRequest(paths: [try mount.path(path)])) }
    }

    /// Returns a container's folder, and creates it if it does not exist. The user sees the contents of
    /// its `Documents` folder.
    ///
    /// - Parameter containerIdentifier: An identifier such as `com.example.notes`; nil is the container
    ///   available to everybody.
    /// - Returns: The folder, or nil if nothing is mounted or the identifier is not a valid container name.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        guard let root = ClaimRouter.shared.principalMount?.root else { return nil }
        guard let name = containerIdentifier.map({ ContainerName($0) }) ?? .cloudDocs else { return nil }
        let folder = "\(root)/\(name.folderName)"
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { return nil }
        return URL(filePath: folder, directoryHint: .isDirectory)
    }

    /// An opaque token for this program's account on this device. Two tokens are equal as long as program, device and
    /// account are the same.
    ///
    /// Nil if nothing is mounted, and after `ubiquity logout`.
    /// ``Foundation/NSNotification/Name/NSUbiquityIdentityDidChange`` is posted when the token changes.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        let identity = UbiquityIdentity.current()
        IdentityWatch.shared.note(identity)
        return identity.map { NSString(string: $0) }
    }

    /// Moves an item into a container, or out of it to a local folder of this machine. An item moved out leaves the
    /// cloud on all devices.
    ///
    /// This program's presenters of the item, and of the items in a folder, follow it. An item not yet downloaded is
    /// downloaded first.
    ///
    /// The method coordinates internally and may take as long as a download: do not call it on the main thread or
    /// inside a coordinated write of the item.
    ///
    /// - Throws: Errors of the Cocoa domain, as `FileManager.moveItem(at:to:)` does: `fileWriteFileExists` if the
    ///   destination exists, `fileNoSuchFile`, `fileWriteOutOfSpace`; and `ubiquitousFileUnavailable` if the cloud
    ///   cannot be reached. After an error, the item is still at its original place.
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        try BorderMove(isIntoCloud: flag, from: url, to: destinationURL).run()
    }

    /// Returns a public link for reading the document's current content: an uploaded file, in a cloud on
    /// ubiquity-server.
    ///
    /// - Parameter outDate: Receives the link's expiry time, after 30 days.
    public func url(
        forPublishingUbiquitousItemAt url: URL, expiration outDate: UnsafeMutablePointer<NSDate?>?
    ) throws -> URL {
        let (mount, path) = try ubiquitous(url)
        let link = try inCocoaTerms(url) {
            try mount.call(PublishRequest(path: try mount.path(path), seconds: 30 * 86_400, timeout: 0))
        }
        guard let found = URL(string: link.url) else {
            throw CoordinationFailure.error(.fileReadUnknown, "The daemon returned no link for \(url.path).", at: url)
        }
        outDate?.pointee = NSDate(timeIntervalSince1970: Double(link.expires.timestamp.nanoseconds) / 1e9)
        return found
    }

    private func ubiquitous(_ url: URL) throws -> (MountAuthority, String) {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is not in a container.", at: url)
        }
        return (mount, route.path)
    }

    private func check(_ url: URL, _ call: () throws -> ItemsResponse) throws {
        try inCocoaTerms(url) {
            if let failure = try call().outcomes.first?.failure { throw failure }
        }
    }

    /// Converts daemon failures into Cocoa errors.
    private func inCocoaTerms<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as DaemonFailure { throw failure.cocoa(url) }
    }
}

/// The domain of the error underlying a failed upload of a document also written by another device. Apple uses
/// `NSFileProviderErrorDomain`.
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
    /// A hexadecimal 64-bit FNV-1a hash, which distinguishes texts without revealing them.
    var hashed: String {
        String(utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
