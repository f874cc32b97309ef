import Basics
import Foundation
import Glibc

/// A loop device over a file, and its ext4.
struct LoopDevice {
    let path: String

    /// Attaches a free one. `isDirect`: the file is to be asked for every request, with nothing kept in between.
    static func attach(_ file: String, isDirect: Bool) throws -> LoopDevice {
        let arguments = ["--find", "--show", "--direct-io=\(isDirect ? "on" : "off")", file]
        return LoopDevice(path: try Program.run("losetup", arguments))
    }

    /// Detaches it, at once or when what is mounted from it is unmounted.
    func detach() throws { try Program.run("losetup", ["--detach", path]) }

    /// Mounts it. The journal writes itself every 5 s (ext4(5)); a longer pause leaves durability to those who ask for it.
    func mount(at point: String) throws {
        try check("mount \(path)") { Glibc.mount(path, point, "ext4", 0, "commit=300") }
    }

    /// Forgets what the kernel has kept of the device's bytes: they were changed below it.
    func forgetCache() throws {
        let device = Int32(try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        defer { close(device) }
        try check("BLKFLSBUF") { ioctl(device, 0x1261, 0) }
    }

    /// Takes the mount away and what was written to it with it: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
    static func abandon(_ point: String) throws {
        let folder = Int32(try check("open \(point)") { open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        var flags: UInt32 = 2
        let result = ioctl(folder, 0x8004_587D, &flags)
        close(folder)
        try check("shutdown \(point)") { result }
        try unmount(point)
    }

    static func unmount(_ point: String) throws { try check("umount \(point)") { umount2(point, 0) } }
}

/// Programs that the tester needs, run to their end.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Answers what it printed, without the line's end.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            throw Failure(
                description: "`\(name) \(arguments.joined(separator: " "))` ended with \(process.terminationStatus)")
        }
        return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
