import CLinux
import Glibc
import TestSupport
import Testing

extension ReferenceModel {
    /// Passes arguments that no correct program passes. The mount must return the disk's result, and keep serving.
    @Suite("Extreme arguments", .timeLimit(.minutes(10)))
    struct ExtremeArgumentTests {
        private static let (file, folder, link) = (Path("file"), Path("folder"), Path("link"))
        private static let numbers = [-1, .min, .min + 1, 1 << 62, .max - 4095, .max - 1, .max]
        private static let counts = [0, 1, 4096]

        /// Excludes calls that depend on the file system's maximum file size: a FUSE mount has no such limit.
        private static var ofOpenFiles: [Operation] {
            var operations: [Operation] = []
            for number in numbers {
                for whence in [Operation.Whence.data, .hole] {
                    operations.append(.seek(slot: 0, offset: number, whence: whence))
                }
                if number < 0 { operations.append(.seek(slot: 0, offset: number, whence: .start)) }
                operations.append(.truncateOpen(slot: 0, size: number))
                for count in counts {
                    operations += [
                        .readAt(slot: 0, offset: number, count: count),
                        .writeAt(slot: 0, offset: number, count: count, seed: 1),
                        .copyRange(from: 0, offset: number, to: 1, at: 0, count: count),
                        .lockRecord(slot: 0, type: 0, offset: number, count: count),
                    ]
                    // A file system without a largest file does not check a copy of no bytes any further.
                    if count > 0 {
                        operations.append(.copyRange(from: 0, offset: 0, to: 1, at: number, count: count))
                    }
                    // Plain, KEEP_SIZE, PUNCH_HOLE with KEEP_SIZE, ZERO_RANGE, and all bits.
                    for mode in [0, 1, 3, 0x10, -1] as [Int32] {
                        operations += [
                            .allocate(slot: 0, mode: mode, offset: number, count: count),
                            .allocate(slot: 0, mode: mode, offset: count, count: number),
                        ]
                    }
                }
            }
            return operations + [
                .changeModeOpen(slot: 0, mode: .max), .setAttributeOpen(slot: 0, "user.one", count: 65_537),
            ]
        }

        private static var ofPaths: [Operation] {
            var operations: [Operation] = []
            for path in [file, folder, link] {
                for seconds in numbers + [-1 << 40, 1 << 40, -11_676_096_000] {
                    for nanoseconds in [0, 999_999_999, 1_000_000_000, -1, .max] {
                        let time = Operation.TimeChoice.at(seconds: seconds, nanoseconds: nanoseconds)
                        operations.append(.setTimes(path, access: time, modification: time, follows: false))
                        operations.append(.status(path, follows: false))
                    }
                }
                operations += [
                    .changeMode(path, mode: .max), .changeMode(path, mode: 0o755), .access(path, mode: .max),
                    .setAttribute(path, "user.one", count: 65_537, flags: 0),
                    .setAttribute(path, "user.one", count: 1, flags: -1),
                    .setAttribute(path, "user." + String(repeating: "n", count: 251), count: 1, flags: 0),
                    .removeAttribute(path, "user." + String(repeating: "n", count: 251)),
                    .rename(path, Path("other"), flags: .max), .listAttributes(path),
                ]
                operations += numbers.map { .truncate(path, size: $0) }
            }
            return operations + [.makeFolder(Path("another"), mode: .max), .removeFolder(Path("another"))]
        }

        /// Makes each call on both sides and compares only the codes, because times and sizes of that magnitude differ
        /// between file systems.
        @Test(
            "each call with extremes of each argument returns the same code as on the disk, and the mount keeps serving"
        )
        func sameCodes() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let playground = try Playground(test)
                let (disk, mount) = (try test.plain(), test.devices[0].documents)
                let complaints = try await playground.onOwnThread { () -> [String] in
                    var one = Side(root: disk)
                    var other = Side(root: mount)
                    var complaints: [String] = []
                    for operation in Self.preparation { (_, _) = (one.perform(operation), other.perform(operation)) }
                    for operation in Self.ofOpenFiles + Self.ofPaths {
                        let (expected, found) = (one.perform(operation), other.perform(operation))
                        if expected.code != found.code {
                            complaints.append("\(operation): \(expected) on the disk, \(found) in the mount")
                        }
                        if [ENOTCONN, ECONNABORTED].contains(found.code) { break }
                        for side in [0, 1] { _ = side == 0 ? one.shorten() : other.shorten() }
                    }
                    return complaints
                }
                #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
                #expect(
                    try await test.devices[0].shell("cat file | wc -c; ls -l > /dev/null; stat -c %Y folder")
                        == "10\n-9223372037")
            }
        }

        private static let preparation: [Operation] = [
            .makeFolder(folder, mode: 0o755), .makeSymlink(target: file, link),
            .open(slot: 0, file, flags: OpenFlags(raw: O_RDWR | O_CREAT), mode: 0o644),
            .write(slot: 0, count: 10, seed: 1),
            .open(slot: 1, Path("target"), flags: OpenFlags(raw: O_RDWR | O_CREAT), mode: 0o644),
        ]
    }
}

extension Side {
    /// Sets the size of the open file back to ten bytes.
    fileprivate mutating func shorten() -> Outcome { perform(.truncateOpen(slot: 0, size: 10)) }
}
