import Basics
import Foundation
import Glibc
import TestSupport

/// An ext4 whose disk temporarily accepts no new blocks: its image is in a memory file system that tests can fill up.
/// The kernel then fails to write programs' data, returns the error once, and treats the data as written.
///
/// Only files without earlier blocks show this, because a loop device reports success for a partly completed request.
struct RefusingVolume {
    let root: String
    var path: String { "\(root)/volume" }
    private var memory: String { "\(root)/memory" }
    private var filler: String { "\(memory)/filler" }
    private let runner = ProgramRunner(environment: [:]) {}

    static func with(_ body: (RefusingVolume) async throws -> Void) async throws {
        let root = NSTemporaryDirectory() + "/ubiquity-refusing-\(UUID().uuidString)"
        let volume = RefusingVolume(root: root)
        for folder in [volume.path, volume.memory] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        defer {
            for path in [volume.path, volume.memory] { umount2(path, Int32(MNT_DETACH)) }
            try? FileManager.default.removeItem(atPath: root)
        }
        try await volume.make()
        try await body(volume)
    }

    private func make() async throws {
        try await run("mount", "-t", "tmpfs", "-o", "size=72m", "tmpfs", memory)
        try await run("truncate", "-s", "64M", "\(memory)/image")
        try await run(
            "mkfs.ext4", "-q", "-b", "4096", "-J", "size=4", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
            "\(memory)/image")
        try await run("fallocate", "-l", "64M", "\(memory)/image")
        // ext4 commits its journal every 5 s by default (ext4(5)); with a longer interval only explicit syncs make data durable.
        try await run("mount", "-o", "loop,commit=300", "\(memory)/image", path)
        // Frees all blocks except the journal's and the tables', so that the disk refuses only documents and the
        // database.
        try await run("fstrim", path)
    }

    /// Fills the disk: from now on, no unused block can be written.
    func refuse() async throws {
        let outcome = try await runner.run(
            "dd", ["if=/dev/zero", "of=\(filler)", "bs=4k", "status=none"], in: "/")
        guard !outcome.succeeded else { throw EndToEndError("the disk took everything") }
    }

    func takeAgain() throws { try FileManager.default.removeItem(atPath: filler) }

    /// Runs `body` with the volume as a power cut would leave it now: with only the data on its disk.
    func afterPowerLoss(_ body: (String) throws -> Void) async throws {
        let after = "\(root)/after"
        try FileManager.default.createDirectory(atPath: after, withIntermediateDirectories: true)
        try await run("cp", "--sparse=always", "\(memory)/image", "\(root)/image")
        try await run("mount", "-o", "loop", "\(root)/image", after)
        defer { umount2(after, Int32(MNT_DETACH)) }
        try body(after)
    }

    private func run(_ program: String, _ arguments: String...) async throws {
        try await runner.run(program, arguments, in: "/").text()
    }
}
