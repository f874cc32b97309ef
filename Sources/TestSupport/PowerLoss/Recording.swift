import Basics
import Foundation
import Glibc

/// A recording of work on a crash disk: the disk's initial bytes, every write and flush, and the acknowledgements with their positions.
package struct Recording {
    /// The size of the disk in bytes.
    private static let size = 64 << 20
    let paths: RecordingPaths
    package let seed: UInt64
    package let bug: DurabilityBug?

    /// Opens a folder for an existing or future recording.
    package init(folder: String, seed: UInt64, bug: DurabilityBug? = nil) {
        paths = RecordingPaths(folder: folder)
        (self.seed, self.bug) = (seed, bug)
    }

    /// Creates the recording from scratch, with one process of `program` for the disk and three for the work. All but
    /// the last of the three are killed, to also record the start of a device after a process death.
    package func make(steps: Int, program: String) throws {
        try? FileManager.default.removeItem(atPath: paths.folder)  // There may be none.
        for folder in [paths.folder, paths.served, paths.mounted] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try Program.run("truncate", ["-s", "\(Self.size)", paths.base])
        try Program.run("mkfs.ext4", ["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", paths.base])
        try Program.run("cp", ["--sparse=always", paths.base, paths.image])
        let disk = try ServedDisk(program, paths)
        defer { disk.end() }
        let loop = try LoopDevice.attach("\(paths.served)/disk", isDirect: true)
        do { try loop.mount(at: paths.mounted) } catch {
            try loop.detach()
            throw error
        }
        // From now on the device is detached together with the mount.
        try loop.detach()
        do { for session in 0..<3 { try work(session, steps: steps, program) } } catch {
            umount2(paths.mounted, Int32(MNT_DETACH))
            throw error
        }
        try LoopDevice.unmount(paths.mounted)
    }

    private func work(_ session: Int, steps: Int, _ program: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments =
            [
                "work", paths.mounted, paths.folder, "--seed", "\(seed)", "--session", "\(session)", "--steps",
                "\(steps)",
            ]
            + (session < 2 ? ["--dies"] : []) + (bug.map { ["--bug", $0.rawValue] } ?? [])
        try process.run()
        process.waitUntilExit()
        let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard session < 2 ? wasKilled : process.terminationStatus == 0 else {
            throw Program.Failure(description: "the work ended with \(process.terminationStatus)")
        }
    }

    func log() throws -> CrashLog { CrashLog(bytes: try Self.bytes(paths.log)) }
    func base() throws -> [UInt8] { try Self.bytes(paths.base) }
    func entries() throws -> [WorkRecord.Entry] { try WorkRecord.read(paths.record) }

    private static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw Errno(ENOENT, path) }
        return Array(data)
    }

    /// The folder of the recording.
    package var folder: String { paths.folder }

    package func remove() throws { try FileManager.default.removeItem(atPath: paths.folder) }
}

/// Serves the crash disk in a separate process, so this process's death cannot leave users of the disk blocked in the
/// kernel.
private struct ServedDisk {
    private let process = Process()
    /// The process of the disk ends when this pipe is closed.
    private let life = Pipe()
    private let paths: RecordingPaths

    init(_ program: String, _ paths: RecordingPaths) throws {
        self.paths = paths
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["disk", paths.image, paths.log, paths.served]
        process.standardInput = life
        process.standardOutput = output
        try process.run()
        guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
            throw Program.Failure(description: "the crash disk could not be mounted")
        }
    }

    func end() {
        umount2(paths.served, Int32(MNT_DETACH))
        // Remaining users of the disk get errors and close it.
        process.terminate()
        process.waitUntilExit()
    }
}
