import CloudModel
import DaemonProtocol
public import Foundation

extension NSFileVersion {
    /// How ``addOfItem(at:withContentsOf:options:)`` adds.
    public struct AddingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The contents are gone afterwards.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// Adds a version to a file or package: a copy of what is at `contentsURL`, durable when this returns. Inside a coordinated read or write of
    /// the document; of its own contents before they change, or of others made in ``temporaryDirectoryURLForNewVersionOfItem(at:)``.
    ///
    /// It stays on this machine, for all programs of the user, until it is removed; other devices have what was in the cloud. It follows a document in
    /// a mount wherever that goes, and any other as long as it keeps its path.
    public class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        guard WantedItem.exists(url.path) else {
            throw CoordinationFailure.error(.fileNoSuchFile, "There is nothing at \(url.path).", at: url)
        }
        let added = try AddedVersions.add(contentsURL, to: url, byMoving: options.contains(.byMoving))
        PresenterDirectory.shared.notify(PresenterCall(.didGainVersion, version: added.id), at: url)
        return NSFileVersion(added, of: url)
    }

    /// A folder of its own for what is to be a version of the document, or to replace it; only its owner may look into it. The caller removes
    /// it.
    public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        let folder = PrivateFolder.place()
        // The write into a folder that could not be made says why.
        _ = try? PrivateFolder.make(at: folder)
        return folder
    }

    /// The history that is in the cloud only, as ``getNonlocalVersionsOfItem(at:completionHandler:)`` gives it.
    public class func nonlocalVersionsOfItem(at url: URL) async throws -> [NSFileVersion] {
        try await withCheckedThrowingContinuation { continuation in
            getNonlocalVersionsOfItem(at: url) { versions, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(versions ?? []))
            }
        }
    }
}
