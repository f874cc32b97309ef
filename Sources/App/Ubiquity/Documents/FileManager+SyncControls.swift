import CLinux
import CloudModel
import DaemonProtocol
public import Foundation
import Glibc

extension FileManager {
    /// Keeps edits of the item on this device until ``resumeSyncForUbiquitousItem(at:with:)`` is called. Pausing a folder pauses everything
    /// in it.
    public func pauseSyncForUbiquitousItem(at url: URL) async throws { try setSyncPaused(true, url) }

    /// Resumes the item's sync.
    ///
    /// With any behaviour but `preserveLocalChanges`, this method waits for the cloud, for at most one minute, and for
    /// exclusive access to the document, so do not call it inside a coordinated access of the document.
    ///
    /// - Throws: `CocoaError.fileWriteUnknown`, with ``UbiquityLocalVersionConflictingWithServerError`` as the
    ///   underlying error, if another device wrote the document.
    public func resumeSyncForUbiquitousItem(
        at url: URL, with behavior: NSFileManagerResumeSyncBehavior = .preserveLocalChanges
    ) async throws {
        switch behavior {
        case .preserveLocalChanges: try setSyncPaused(false, url)
        case .afterUploadWithFailOnConflict: try await resume(url, .uploadUnlessConflict, staysPaused: false)
        case .dropLocalChanges: try await resume(url, .drop, staysPaused: false)
        }
    }

    /// Uploads the document's current content, even if its sync is paused. The pause remains in effect.
    ///
    /// - Returns: The uploaded version.
    /// - Throws: The errors of ``resumeSyncForUbiquitousItem(at:with:)``, and `CocoaError.ubiquitousFileUnavailable` if
    ///   the cloud does not respond.
    public func uploadLocalVersionOfUbiquitousItem(
        at url: URL, withConflictResolutionPolicy policy: NSFileManagerUploadLocalVersionConflictPolicy
    ) async throws -> NSFileVersion {
        let isPaused =
            MountAuthority.attribute(DocumentFact.isSyncPaused.shortName, of: ClaimRouter.shared.route(url).path) == "1"
        try await resume(
            url, policy == .conflictPolicyDefault ? .upload : .uploadUnlessConflict, staysPaused: isPaused)
        return try current(url)
    }

    /// Fetches the newest version in the cloud.
    ///
    /// If sync is paused and another device wrote the document, the fetched version is kept beside the document.
    /// ``NSFileVersion/replaceItem(at:options:)`` then puts it in the document's place, and this program's next upload
    /// counts as an edit of it.
    ///
    /// - Returns: The newest version.
    /// - Throws: `CocoaError.ubiquitousFileUnavailable` if the cloud cannot be reached.
    public func fetchLatestRemoteVersionOfItem(at url: URL) async throws -> NSFileVersion {
        let (mount, path) = try mount(of: url)
        let version: DocumentVersion? = try await aside(url) { () throws(DaemonFailure) in
            let request = LatestVersionRequest(path: try mount.path(path), timeout: 60)
            let answer = try mount.call(request)
            guard answer.version.kind == .history else {
                try mount.download(path)
                return nil
            }
            VersionDirectory.shared.add(answer.version, of: path, mount)
            return answer.version
        }
        guard let version else { return try current(url) }
        VersionDirectory.shared.note(seen: version.version, of: AddedVersions.document(url))
        return NSFileVersion(version, of: url)
    }

    private func resume(_ url: URL, _ edits: ResumeRequest.Edits, staysPaused: Bool) async throws {
        let (mount, path) = try mount(of: url)
        let seen = VersionDirectory.shared.seen(of: AddedVersions.document(url))
        try await aside(url) { () throws(DaemonFailure) in
            let request = ResumeRequest(
                path: try mount.path(path), edits: edits, seen: seen, staysPaused: staysPaused, timeout: 60)
            _ = try mount.call(request)
        }
    }

    private func mount(of url: URL) throws -> (MountAuthority, String) {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is not in a container.", at: url)
        }
        return (mount, route.path)
    }

    private func current(_ url: URL) throws -> NSFileVersion {
        guard let version = NSFileVersion.currentVersionOfItem(at: url) else {
            throw CoordinationFailure.error(.fileNoSuchFile, "\(url.path) does not exist.", at: url)
        }
        return version
    }

    /// Runs work waiting for the cloud on a separate thread, since a task must not block.
    private func aside<T: Sendable>(
        _ url: URL, _ work: @escaping @Sendable () throws(DaemonFailure) -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                do throws(DaemonFailure) { continuation.resume(returning: try work()) } catch {
                    continuation.resume(throwing: error.cocoa(url))
                }
            }
        }
    }

    /// Sets whether the item stays on this device. On Apple's platforms, this is the setter of
    /// `URLResourceValues.ubiquitousItemIsExcludedFromSync`, which only Foundation can extend.
    public func setIsExcludedFromSync(_ flag: Bool, at url: URL) throws {
        try set(.isExcludedFromSync, to: flag, url)
    }

    private func setSyncPaused(_ flag: Bool, _ url: URL) throws { try set(.isSyncPaused, to: flag, url) }

    private func set(_ fact: DocumentFact, to flag: Bool, _ url: URL) throws {
        let path = try mount(of: url).1
        let value = flag ? "1" : "0"
        guard setxattr(path, fact.attributeName, value, 1, 0) == 0 else {
            let (code, why) = (errno, String(cString: strerror(errno)))
            switch code {
            case ENOENT: throw CoordinationFailure.error(.fileNoSuchFile, "\(url.path) does not exist.", at: url)
            case EOPNOTSUPP:
                let message = "\(url.path) is a folder. Exclude its documents from sync one by one."
                throw CoordinationFailure.error(.featureUnsupported, message, at: url)
            case EBUSY:
                let message = "A folder above \(url.path) is paused. Resume that folder."
                throw CoordinationFailure.error(.fileLocking, message, at: url)
            default: throw CoordinationFailure.error(.fileWriteUnknown, "\(url.path): \(why)", at: url)
            }
        }
    }
}
