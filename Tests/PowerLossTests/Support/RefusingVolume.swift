import Basics
import Foundation
import Glibc
import TestSupport

/// An ext4 whose disk takes no new blocks for a while: its image is on a file system in memory that can be filled up. The kernel then
/// fails to write what programs have written, returns the error once, and considers it written.
///
/// Only files that had no blocks before show this, because a loop device reports a request as done that it could do only in part.
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
        // Frees all blocks but those of the journal and the tables, so that only documents and database are refused.
        try await run("fstrim", path)
    }

    /// From here on no block that was never used can be written.
    func refuse() async throws {
        let outcome = try await runner.run(
            "dd", ["if=/dev/zero", "of=\(filler)", "bs=4k", "status=none"], in: "/")
        guard !outcome.succeeded else { throw EndToEndError("the disk took everything") }
    }

    func takeAgain() throws { try FileManager.default.removeItem(atPath: filler) }

    /// Runs `body` with the volume as it would be after a power cut now: with what has reached its disk.
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
