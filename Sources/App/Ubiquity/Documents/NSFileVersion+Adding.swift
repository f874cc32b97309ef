import CloudModel
import DaemonProtocol
public import Foundation

extension NSFileVersion {
    /// Options of ``addOfItem(at:withContentsOf:options:)``.
    public struct AddingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Moves the contents instead of copying them.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// Adds a version to a file or package: a copy of the item at `contentsURL`, durable when this method returns.
    ///
    /// Call this inside a coordinated read or write of the document. The contents are the document's own before they
    /// change, or contents created in ``temporaryDirectoryURLForNewVersionOfItem(at:)``.
    ///
    /// The version stays on this machine, for all programs of the user, until it is removed; it is not sent to other
    /// devices. In a mount, the version follows its document when it moves; elsewhere, it is found as long as the
    /// document keeps its path.
    public class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        guard WantedItem.exists(url.path) else {
            throw CoordinationFailure.error(.fileNoSuchFile, "\(url.path) does not exist.", at: url)
        }
        let added = try AddedVersions.add(contentsURL, to: url, byMoving: options.contains(.byMoving))
        PresenterDirectory.shared.notify(PresenterCall(.didGainVersion, version: added.id), at: url)
        return NSFileVersion(added, of: url)
    }

    /// Returns a new private folder for contents intended to replace the document or become a version of it. Only the
    /// folder's owner can access it. The caller removes it.
    public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        let folder = PrivateFolder.place()
        // If the folder could not be created, the caller's write into it fails with the reason.
        _ = try? PrivateFolder.make(at: folder)
        return folder
    }

    /// Returns the cloud-only history, as ``getNonlocalVersionsOfItem(at:completionHandler:)`` does.
    public class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        try await withCheckedThrowingContinuation { continuation in
            getNonlocalVersionsOfItem(at: url) { versions, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(versions ?? []))
            }
        }
    }
}
