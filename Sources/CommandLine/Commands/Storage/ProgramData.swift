import Basics
import DaemonProtocol
import FoundationEssentials

/// A program's data in its container beside `Documents`.
struct ProgramData {
    private let container: ContainerStorage
    private let record: MountRecord

    private var areas: [StorageArea] { container.areas.filter { !$0.isDocuments } }

    /// - Parameter name: The container's name, or its folder's name in the mount.
    /// - Throws: `CommandFailure` if the container does not exist, or has nothing beside `Documents`.
    init(_ name: String, _ containers: [ContainerStorage], _ record: MountRecord) throws(CommandFailure) {
        guard let container = containers.first(where: { $0.name == name || $0.folder == name }) else {
            throw CommandFailure(
                .failed, "there is no such container", path: name,
                advice: "`ubiquity container list` lists the containers.")
        }
        self.container = container
        self.record = record
        guard !areas.isEmpty else {
            throw CommandFailure(.refused, "it has no data outside its documents", path: container.name)
        }
    }

    /// Deletes all of the data through the mount, as any program would.
    ///
    /// - Throws: `CommandFailure` if the user does not confirm, or if an item could not be deleted; the remaining items
    ///   are deleted.
    func delete(asking asks: Bool) throws {
        let files = areas.reduce(UInt64(0)) { $0.saturatingSum($1.files) }
        let bytes = areas.reduce(UInt64(0)) { $0.saturatingSum($1.cloudBytes) }
        let what = "\(counted(files, "file")) (\(ByteCount(bytes))) of \(container.name) outside of Documents"
        guard !asks || Terminal.confirms("Delete \(what), on all devices?") else {
            throw CommandFailure(
                .refused, "nothing was deleted", advice: Terminal.hasInput ? nil : "Without a terminal, add --yes.")
        }
        var failures: [DaemonFailure] = []
        for area in areas {
            let path = "\(record.mount)/\(container.folder)/\(area.name)"
            do { try FileManager.default.removeItem(atPath: path) } catch {
                failures.append(
                    DaemonFailure(.failed, "it could not be deleted: \(plainReason(error))", path: path))
            }
        }
        if let failure = CommandFailure(failures) { throw failure }
        print("Deleted \(what). `ubiquity deleted` lists it, and `ubiquity restore` restores it.")
    }
}
