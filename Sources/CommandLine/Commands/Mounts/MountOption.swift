import ArgumentParser
import DaemonProtocol

/// The option selecting a mount, for commands on a whole mount.
struct MountOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The mount of this path (default: the only one, or ~/MobileDocuments).", valueName: "path"),
        completion: .directory)
    var mount: String?

    /// Returns the mount of the option, or of `path`, which replaces the option.
    func record(_ path: String? = nil) throws -> MountRecord {
        guard path == nil || mount == nil else {
            throw ValidationError("Name the mount once: as PATH or with --mount.")
        }
        return try MountSelection.single(path ?? mount, .current())
    }
}
