import ArgumentParser
import DaemonProtocol
import Glibc

/// `ubiquity container`: manages the folders in a mount's root.
struct ContainerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container", abstract: "List, make, remove, rename and set up containers.",
        discussion: """
            A container is a folder at the top of a mount. Documents are in a container's Documents folder: your own in \
            CloudDocs/Documents, which always exists. Only a container without documents can be removed or renamed, and all \
            devices follow. mkdir, rmdir and mv in the mount do the same.
            """,
        subcommands: [
            ContainerList.self, ContainerMake.self, ContainerRemove.self, ContainerRename.self, ContainerNames.self,
        ])
}

struct ContainerList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the containers of a mount.")

    @OptionGroup var mount: MountOption
    @Flag(help: "Print JSON.") var json = false

    private struct Document: Encodable {
        let format = 1
        let containers: [String]
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let status = try connection.call(StatusRequest())
        let names = status.mount.containers.sorted()
        if json { return print(try StatusJSON.text(Document(containers: names))) }
        names.forEach { print($0) }
    }
}

struct ContainerMake: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "make", abstract: "Make a container.")

    @OptionGroup var mount: MountOption
    @Argument(help: "Its name: letters, digits, - and _, and dots between them.") var name: String

    func run() throws {
        let path = try ContainerPath(name, in: mount.record())
        guard mkdir(path.text, 0o755) == 0 else { throw path.failure("cannot make the container", errno) }
        print("Made \(path.text).")
    }
}

struct ContainerRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a container without documents, on every device.",
        discussion:
            "Its settings (\"ubiquity kv\") stay in the cloud. They are available again when a container of that name is made."
    )

    @OptionGroup var mount: MountOption
    @Argument(help: "The container.") var name: String

    func run() throws {
        let path = try ContainerPath(name, in: mount.record())
        guard rmdir(path.text) == 0 else { throw path.failure("cannot remove the container", errno) }
        print("Removed \(path.text).")
    }
}

struct ContainerRename: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a container without documents, on every device.",
        discussion: "Its settings (\"ubiquity kv\") do not move to the new name.")

    @OptionGroup var mount: MountOption
    @Argument(help: "The container.") var name: String
    @Argument(help: "Its new name.") var newName: String

    func run() throws {
        let record = try mount.record()
        let (old, new) = (ContainerPath(name, in: record), ContainerPath(newName, in: record))
        let what = "cannot rename the container to \(printable(newName))"
        guard access(new.text, F_OK) != 0 else { throw old.failure(what, EEXIST) }
        guard Glibc.rename(old.text, new.text) == 0 else { throw old.failure(what, errno) }
        print("Renamed \(old.text) to \(new.text).")
    }
}

/// The path of a container in the mount.
private struct ContainerPath {
    let text: String

    /// - Parameter name: The name with dots, or with `~` as the mount shows it.
    init(_ name: String, in record: MountRecord) {
        text = "\(record.mount)/\(name.replacing(".", with: "~"))"
    }

    func failure(_ what: String, _ code: Int32) -> CommandFailure {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOTEMPTY:
            return CommandFailure(
                .refused, "\(what): there are documents in it", path: text, advice: "Move or delete them first.")
        case EPERM:
            return CommandFailure(.refused, "\(what): it always exists", path: text)
        case EEXIST: return CommandFailure(.refused, "\(what): a container has that name", path: text)
        case EINVAL:
            return CommandFailure(
                .failed, "\(what): names consist of letters, digits, -, _ and single dots between them", path: text)
        case ENOENT: return CommandFailure(.failed, "\(what): there is no container of that name", path: text)
        default: return CommandFailure(.failed, "\(what): \(reason)", path: text)
        }
    }
}
