import CLinux
import DaemonProtocol
public import Foundation
import Glibc

/// What becomes of edits when sync goes on. Apple's name: `NSFileManagerResumeSyncBehavior`.
public enum NSFileManagerResumeSyncBehavior: Int, Sendable {
    /// They are uploaded; what other devices did meanwhile is resolved as always, and nothing is lost.
    case preserveLocalChanges = 0
}

extension FileManager {
    /// From now on the item is neither uploaded nor replaced by other devices' versions, until
    /// ``resumeSyncForUbiquitousItem(at:with:)``. What is edited stays here.
    public func pauseSyncForUbiquitousItem(at url: URL) async throws { try setSyncPaused(true, url) }

    public func resumeSyncForUbiquitousItem(
        at url: URL, with behavior: NSFileManagerResumeSyncBehavior = .preserveLocalChanges
    ) async throws {
        try setSyncPaused(false, url)
    }

    /// Fetches the newest version that the cloud has, and answers it. Throws `CocoaError.ubiquitousFileUnavailable` where the cloud can not be reached.
    public func fetchLatestRemoteVersionOfItem(at url: URL) async throws -> NSFileVersion {
        let route = ClaimRouter.shared.route(url)
        guard let mount = route.mount else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is in no container.", at: url)
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // Both wait for the cloud, which no task may do.
            DispatchQueue.global().async {
                do throws(DaemonFailure) {
                    let request = SyncRequest(paths: [try mount.path(route.path)], wait: true, timeout: 60)
                    _ = try mount.call(.sync(request))
                    try mount.download(route.path)
                    continuation.resume()
                } catch { continuation.resume(throwing: error.cocoa(url)) }
            }
        }
        guard let version = NSFileVersion.currentVersionOfItem(at: url) else {
            throw CoordinationFailure.error(.fileNoSuchFile, "There is nothing at \(url.path).", at: url)
        }
        return version
    }

    /// Whether the item stays on this device. Apple sets `URLResourceValues.ubiquitousItemIsExcludedFromSync`, which nobody but Foundation can
    /// add to here.
    public func setIsExcludedFromSync(_ flag: Bool, at url: URL) throws {
        try set("isExcludedFromSync", to: flag, url)
    }

    private func setSyncPaused(_ flag: Bool, _ url: URL) throws { try set("isSyncPaused", to: flag, url) }

    private func set(_ attribute: String, to flag: Bool, _ url: URL) throws {
        let route = ClaimRouter.shared.route(url)
        guard route.mount != nil else {
            throw CoordinationFailure.error(.featureUnsupported, "\(url.path) is in no container.", at: url)
        }
        let value = flag ? "1" : "0"
        guard setxattr(route.path, "user.ubiquity.\(attribute)", value, 1, 0) == 0 else {
            let why = String(cString: strerror(errno))
            throw CoordinationFailure.error(errno == ENOENT ? .fileNoSuchFile : .fileWriteUnknown, why, at: url)
        }
    }
}
