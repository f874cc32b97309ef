import ArgumentParser
import DaemonProtocol

/// Which mount a command is about that is about one as a whole.
struct MountOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The mount of this path (default: the only one, or ~/MobileDocuments).", valueName: "path"),
        completion: .directory)
    var mount: String?

    /// The mount of the option, or of the `path` that stands without one.
    func record(_ path: String? = nil) throws -> MountRecord {
        guard path == nil || mount == nil else {
            throw ValidationError("Name the mount once: as PATH or with --mount.")
        }
        return try MountSelection.single(path ?? mount, .current())
    }
}
