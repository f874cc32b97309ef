import Basics
import Fuse
import Glibc
import Logging
import Synchronization

/// `fuse-test-fs DIR [--native FILE] [--readers N] [--ring-entries N] [--keep-cache] [--watchdog] [--crashes FILE]`: mounts a file system in memory for a test, prints
/// `ready`, and executes the commands of ``Console``.
@main
struct Main {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        if WatchdogProgram.isMeant(by: Array(arguments)) { return WatchdogProgram.run(Array(arguments)) }
        guard let folder = arguments.popFirst() else { return fail("no folder is given") }
        var options = FuseOptions()
        var native: String?
        var openOptions: FuseOpenOptions = []
        var (traps, isWatched) = (false, false)
        while let word = arguments.popFirst() {
            switch word {
            case "--native": native = arguments.popFirst()
            case "--readers": options.readerCount = arguments.popFirst().flatMap { Int($0) } ?? 1
            case "--share-device": options.clonesDevice = false
            case "--ring-entries": options.ringEntries = arguments.popFirst().flatMap { Int($0) } ?? 1
            case "--watchdog": isWatched = true
            case "--keep-cache": openOptions = .keepCache
            case "--crashes":
                // A lookup of the name "trap" crashes the process; the crash report is written to this file.
                guard let file = arguments.popFirst(), dup2(open(file, O_WRONLY | O_CREAT, 0o600), STDERR_FILENO) >= 0
                else { return fail("no file for errors") }
                CrashGuard.install()
                traps = true
            default: return fail("unknown: \(word)")
            }
        }
        do {
            let fileSystem = MemoryFileSystem(openOptions: openOptions, traps: traps)
            try populate(fileSystem, native)
            try FuseMountPoint.clearDeadMount(at: folder)
            let session = try await FuseSession.mount(
                fileSystem, at: folder, options: options, logger: Logger(label: "fuse-test-fs"))
            fileSystem.session.withLock { $0 = session }
            if isWatched, let control = session.control {
                _ = try Watchdog(control, log: Logger(label: "fuse-test-fs"))
            }
            let console = Console(fileSystem: fileSystem, session: session)
            console.say("ready")
            await console.run()
        } catch {
            fail("\(error)")
        }
    }

    private static func populate(_ fileSystem: MemoryFileSystem, _ native: String?) throws(Errno) {
        try fileSystem.tree.withLock { tree throws(Errno) in
            for behaviour in SpecialFiles.Behaviour.allCases {
                let bytes = [UInt8](repeating: 0, count: 100)
                let node = try tree.add(Array(behaviour.rawValue.utf8), to: .root, .file(bytes), mode: S_IFREG | 0o644)
                fileSystem.special.add(behaviour, node)
            }
            guard let native else { return }
            let file = try check("open \(native)") { open(native, O_RDWR | O_CLOEXEC) }
            try tree.add(Array("native".utf8), to: .root, .native(file), mode: S_IFREG | 0o644)
        }
    }

    private static func fail(_ message: String) {
        print("failed: \(message)")
        exit(1)
    }
}
