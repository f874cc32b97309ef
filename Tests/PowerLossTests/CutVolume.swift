import Basics
import Foundation
import Glibc
import TestSupport

/// The file system that a device's state lies on: an ext4 in a file, whose power can be cut.
struct CutVolume {
    let device: TestDevice
    /// Where the files are kept that are written to the mount.
    let originals: String
    let image: String

    /// Makes it and starts the device on it.
    func make() async throws {
        try await run("truncate", ["-s", "256M", image])
        try await run("mkfs.ext4", ["-q", image])
        try FileManager.default.createDirectory(atPath: device.state, withIntermediateDirectories: true)
        try await mountVolume()
        try await device.start()
    }

    /// The journal commits by itself every 5 s (ext4(5)); a longer pause leaves durability to the daemon alone.
    private func mountVolume() async throws { try await run("mount", ["-o", "loop,commit=300", image, device.state]) }

    /// Writes files of random bytes, one block to a few of them, each synced before its close, and their folder after them.
    func writeFiles(to folder: String, count: Int, isSynced: Bool) async throws {
        try await device.runner.run(
            "bash",
            [
                "-euc", "mkdir $1; for i in $(seq $2); do head -c $((i * 97)) /dev/urandom > $1/$i; done", "-", folder,
                "\(count)",
            ],
            in: originals
        ).text()
        let write =
            isSynced
            ? "for i in \(originals)/\(folder)/*; do dd if=$i of=\(folder)/${i##*/} conv=fsync status=none; done; sync \(folder) ."
            : "cp \(originals)/\(folder)/* \(folder)"
        try await device.shell("mkdir \(folder); \(write)")
    }

    /// Stops the volume without writing its journal, kills the daemon, and starts another on what is left.
    func cutPower() async throws {
        let folder = Int32(try check("open \(device.state)") { open(device.state, O_RDONLY | O_CLOEXEC) })
        // EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
        var flags: UInt32 = 2
        let result = ioctl(folder, 0x8004_587D, &flags)
        close(folder)
        try check("EXT4_IOC_SHUTDOWN") { result }
        try await device.kill9()
        // A daemon whose write failed before it was killed has unmounted already: EINVAL.
        if umount2(device.mount, Int32(MNT_DETACH)) != 0, errno != EINVAL { try check("umount \(device.mount)") { -1 } }
        // The kernel lets go of the dead mount's files a little later.
        try await eventually("the volume is free") {
            try await device.runner.run("umount", [device.state], in: "/").succeeded
        }
        try await mountVolume()
        try await device.start()
    }

    /// What is not as it was written; empty when all is.
    func differences(in folder: String) async throws -> String {
        let outcome = try await device.tryShell("diff -rq \(originals)/\(folder) \(folder) 2>&1")
        return outcome.succeeded ? "" : String(outcome.description.prefix(2000))
    }

    /// Takes everything away, whatever state it is in.
    func takeAway() async {
        device.daemon.send(SIGKILL)
        for path in [device.mount, device.state] { umount2(path, Int32(MNT_DETACH)) }
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        try await device.runner.run(program, arguments, in: "/").text()
    }
}
