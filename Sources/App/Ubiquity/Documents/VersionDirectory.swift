import DaemonProtocol
import Foundation
import Synchronization

/// Where the bytes of versions will be that are in the cloud only, for the versions that this process has listed. A coordinated read there
/// fetches them.
final class VersionDirectory: Sendable {
    static let shared = VersionDirectory()

    private struct Place: Sendable {
        let mount: MountAuthority
        let document: String
        let version: String
    }

    /// Those listed longest ago are forgotten beyond this number.
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

    /// The program has the newest version of the cloud, and what it writes next is an edit of that one.
    func note(seen version: String, of document: String) {
        seen.withLock { seen in
            // A program that asks for so many has done with the first ones.
            if seen.count >= Self.limit { seen = [:] }
            seen[document] = version
        }
    }

    func seen(of document: String) -> String? { seen.withLock { $0[document] } }

    /// False if there is no version there.
    func fetch(_ file: String) throws(DaemonFailure) -> Bool {
        guard let place = places.withLock({ $0.byFile[file] }) else { return false }
        guard let (mount, request) = try wanted(place, file) else { return true }
        _ = try mount.call(request)
        return true
    }

    /// Nil if there is no version there, and if its bytes are here.
    func missing(_ file: String) -> MissingContent? {
        // A path that no mount can have is not that of a version.
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
