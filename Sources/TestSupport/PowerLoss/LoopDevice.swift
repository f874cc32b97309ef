import Basics
import Foundation
import Glibc

/// A loop device over a file, with an ext4 file system.
struct LoopDevice {
    let path: String

    /// Attaches a free loop device. With `isDirect` every request reaches the file, without a cache in between.
    static func attach(_ file: String, isDirect: Bool) throws -> LoopDevice {
        let arguments = ["--find", "--show", "--direct-io=\(isDirect ? "on" : "off")", file]
        return LoopDevice(path: try Program.run("losetup", arguments))
    }

    /// Detaches the device, immediately or when its mount is unmounted.
    func detach() throws { try Program.run("losetup", ["--detach", path]) }

    /// Mounts the device. ext4 commits its journal every 5 s by default (ext4(5)); with a longer interval only explicit
    /// syncs create durability.
    func mount(at point: String) throws {
        try check("mount \(path)") { Glibc.mount(path, point, "ext4", 0, "commit=300") }
    }

    /// Drops the kernel's cache of the device's bytes, which were changed below it.
    func forgetCache() throws {
        let device = Int32(try check("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        defer { close(device) }
        try check("BLKFLSBUF") { ioctl(device, 0x1261, 0) }
    }

    /// Unmounts the file system and discards all bytes not written to the device yet: EXT4_IOC_SHUTDOWN with
    /// EXT4_GOING_FLAGS_NOLOGFLUSH.
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

/// Runs the tester's programs, to their end.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the output of the program, without white space at either end.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            throw Failure(
                description: "`\(name) \(arguments.joined(separator: " "))` ended with \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
