import DaemonProtocol
import Foundation
import Synchronization

/// The future places of cloud-only versions' bytes, for the versions listed by this process. A coordinated read of such
/// a place fetches the bytes.
final class VersionDirectory: Sendable {
    static let shared = VersionDirectory()

    private struct Place: Sendable {
        let mount: MountAuthority
        let document: String
        let version: String
    }

    /// The maximum number of places; the least recently listed places are evicted.
    private static let limit = 10_000

    private let places = Mutex<(byFile: [String: Place], order: [String])>(([:], []))

    private let seen = Mutex<[String: String]>([:])

    func add(_ version: DocumentVersion, of document: String, _ mount: MountAuthority) {
        let place = Place(mount: mount, document: document, version: version.version)
        places.withLock { places in
            guard places.byFile.updateValue(place, forKey: version.file) == nil else { return }
            places.order.append(version.file)
            guard places.order.count > Self.limit else { return }
            for file in places.order.prefix(Self.limit / 2) { places.byFile[file] = nil }
            places.order.removeFirst(Self.limit / 2)
        }
    }

    /// Records that the program has seen the cloud's newest version, so that its next write is an edit of that version.
    func note(seen version: String, of document: String) {
        seen.withLock { seen in
            // A program fetching so many versions no longer needs the first ones.
            if seen.count >= Self.limit { seen = [:] }
            seen[document] = version
        }
    }

    func seen(of document: String) -> String? { seen.withLock { $0[document] } }

    /// Fetches the bytes of the version at this place.
    ///
    /// - Returns: False if there is no version at this place.
    func fetch(_ file: String) throws(DaemonFailure) -> Bool {
        guard let place = places.withLock({ $0.byFile[file] }) else { return false }
        guard let (mount, request) = try wanted(place, file) else { return true }
        _ = try mount.call(request)
        return true
    }

    /// Returns the content to fetch; nil if there is no version at this place, or if its bytes are local.
    func missing(_ file: String) -> MissingContent? {
        // A path no mount can have does not belong to a version.
        guard let place = places.withLock({ $0.byFile[file] }), let (mount, request) = try? wanted(place, file) else {
            return nil
        }
        return .version(mount, request)
    }

    private func wanted(_ place: Place, _ file: String) throws(DaemonFailure) -> (MountAuthority, FetchVersionRequest)?
    {
        guard !FileManager.default.fileExists(atPath: file) else { return nil }
        return (
            place.mount, FetchVersionRequest(path: try place.mount.path(place.document), version: place.version)
        )
    }
}
