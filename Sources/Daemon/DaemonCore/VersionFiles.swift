import Basics
import CloudModel
import Foundation
import Glibc
import LocalMetadata
import Sync
import Transfers

/// Bytes of versions that a program asked for: `versions/ITEM-VERSION/NAME` in the state directory, only to be read. They are copies: what is
/// older than a day goes with the next one that is fetched, all of it at a start.
struct VersionFiles: Sendable {
    let directory: String
    let context: EngineContext

    /// Whether the bytes of a version are where they belong.
    func has(_ version: HistoricVersion, named name: ItemName) -> Bool { access(path(of: version, name), R_OK) == 0 }

    /// Throws ``VersionError``.
    func fetch(_ version: HistoricVersion, named name: ItemName, in container: ContainerName) async throws {
        guard !has(version, named: name) else { return }
        let path = path(of: version, name)
        let incomplete = "\(folder(of: version)).\(UUID().uuidString)"
        let file = try await context.blocking { [self] in
            removeOld()
            try FileManager.default.createDirectory(
                atPath: folder(of: version), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let descriptor = try check("open") { open(incomplete, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o400) }
            return SharedDescriptor(adopting: descriptor)
        }
        do { try await VersionHistory(context).fetch(version.content, of: container, to: file) } catch {
            unlink(incomplete)
            throw error
        }
        try await context.blocking { _ = try check("rename") { rename(incomplete, path) } }
    }

    /// To be called at a start, before anybody asks.
    func removeAll() throws {
        guard access(directory, F_OK) == 0 else { return }
        try FileManager.default.removeItem(atPath: directory)
    }

    private func folder(of version: HistoricVersion) -> String { "\(directory)/\(version.item)-\(version.version)" }

    func path(of version: HistoricVersion, _ name: ItemName) -> String { "\(folder(of: version))/\(name)" }

    private func removeOld() {
        // A listing that fails, or a file that stays, costs space until the next start.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0, status.st_ctim.tv_sec < time(nil) - 86_400 else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}
