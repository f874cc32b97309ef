import Basics
import Foundation
import Glibc
import TestSupport

/// The file system of a device's state: an ext4 in a file, with a power supply to be cut by tests.
struct CutVolume {
    let device: TestDevice
    /// The folder with the originals of the files in the mount.
    let originals: String
    let image: String

    /// Creates the volume and starts the device on it.
    func make() async throws {
        try await run("truncate", ["-s", "256M", image])
        try await run("mkfs.ext4", ["-q", image])
        try FileManager.default.createDirectory(atPath: device.state, withIntermediateDirectories: true)
        try await mountVolume()
        try await device.start()
    }

    /// ext4 commits its journal every 5 s by default (ext4(5)); with a longer interval only the daemon's syncs make
    /// data durable.
    private func mountVolume() async throws { try await run("mount", ["-o", "loop,commit=300", image, device.state]) }

    /// Writes files of random bytes, each of at most a few blocks. If `isSynced` is true, syncs each file before its close, and then their
    /// folder.
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

    /// Shuts the volume down without writing its journal, kills the daemon, and starts a new daemon on the disk's
    /// remaining data.
    func cutPower() async throws {
        let folder = Int32(try check("open \(device.state)") { open(device.state, O_RDONLY | O_CLOEXEC) })
        // EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
        var flags: UInt32 = 2
        let result = ioctl(folder, 0x8004_587D, &flags)
        close(folder)
        try check("EXT4_IOC_SHUTDOWN") { result }
        try await device.kill9()
        // If a write of the daemon failed before the kill, the daemon has already unmounted: EINVAL.
        if umount2(device.mount, Int32(MNT_DETACH)) != 0, errno != EINVAL { try check("umount \(device.mount)") { -1 } }
        // The kernel closes the files of the dead mount a little later.
        try await eventually("the volume is free") {
            try await device.runner.run("umount", [device.state], in: "/").succeeded
        }
        try await mountVolume()
        try await device.start()
    }

    /// Returns a description of the differences from the written files, or an empty string for none.
    func differences(in folder: String) async throws -> String {
        let outcome = try await device.tryShell("diff -rq \(originals)/\(folder) \(folder) 2>&1")
        return outcome.succeeded ? "" : String(outcome.description.prefix(2000))
    }

    /// Kills the daemon and removes its mounts, in any state.
    func tearDown() async {
        device.daemon.send(SIGKILL)
        for path in [device.mount, device.state] { umount2(path, Int32(MNT_DETACH)) }
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        try await device.runner.run(program, arguments, in: "/").text()
    }
}
