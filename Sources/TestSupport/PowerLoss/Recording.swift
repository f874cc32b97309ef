import Basics
import Foundation
import Glibc

/// Work on a crash disk, recorded: the disk at its beginning, every write and flush, and what was acknowledged when.
package struct Recording {
    /// Of the disk, in bytes.
    private static let size = 64 << 20
    let paths: RecordingPaths
    package let seed: UInt64
    package let bug: DurabilityBug?

    /// A folder that has a recording, or is to get one.
    package init(folder: String, seed: UInt64, bug: DurabilityBug? = nil) {
        paths = RecordingPaths(folder: folder)
        (self.seed, self.bug) = (seed, bug)
    }

    /// Makes it anew, with processes of `program` for the disk and for the work: three, of which all but the last are killed. So the
    /// start of a device whose process died is recorded too.
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
        // From here on the device goes with the mount.
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

    /// Where it lies.
    package var folder: String { paths.folder }

    package func remove() throws { try FileManager.default.removeItem(atPath: paths.folder) }
}

/// The process that serves the crash disk, so that a death here can not leave its users waiting in the kernel for this process.
private struct ServedDisk {
    private let process = Process()
    /// The disk ends with it.
    private let life = Pipe()
    private let paths: RecordingPaths

    init(_ program: String, _ paths: RecordingPaths) throws {
        self.paths = paths
        let said = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["disk", paths.image, paths.log, paths.served]
        process.standardInput = life
        process.standardOutput = said
        try process.run()
        guard said.fileHandleForReading.availableData == Data("ready\n".utf8) else {
            throw Program.Failure(description: "the crash disk could not be mounted")
        }
    }

    func end() {
        umount2(paths.served, Int32(MNT_DETACH))
        // What still holds the disk gets errors and lets go.
        process.terminate()
        process.waitUntilExit()
    }
}
