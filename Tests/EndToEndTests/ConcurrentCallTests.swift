import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Concurrent calls of several programs on few names. A name that is only ever replaced exists at each moment, so
    /// no call may fail.
    @Suite("Calls at once on one name")
    struct ConcurrentCallTests {
        @Test("no call fails because of what another program does with the name at the same moment, as on a disk")
        func pairs() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed \(seed)")
            try await TestDevices.with(devices: ["A"]) { test in
                let folder = "\(test.a.documents)/c"
                try await test.a.shell(
                    "mkdir c; for k in 0 1; do echo x > c/file$k; echo x > c/target$k; ln -s target$k c/link$k; done")
                let failures = Failures()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for thread in 0..<8 {
                        group.addTask {
                            try await onOwnThread {
                                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                                for _ in 0..<1_500 {
                                    let call = NameCall.random(in: folder, by: thread, &random)
                                    guard let code = call.failure() else { continue }
                                    failures.note("\(call): \(String(cString: strerror(code)))")
                                }
                            }
                        }
                    }
                    for try await _ in group {}
                }
                #expect(failures.counts == [:])
                let log = try String(contentsOfFile: "\(test.a.state)/daemon.log", encoding: .utf8)
                #expect(!log.contains(" error ") && !log.contains("could not record"), "\(log)")
            }
        }
    }
}

/// How often each call failed.
private final class Failures: Sendable {
    private let all = Mutex<[String: Int]>([:])

    var counts: [String: Int] { all.withLock { $0 } }

    func note(_ failure: String) { all.withLock { $0[failure, default: 0] += 1 } }
}

/// A call on a name, and its permitted errors.
private struct NameCall: CustomStringConvertible {
    let description: String
    /// Errors possible on a disk too, whatever the order of the calls.
    var allowed: Set<Int32> = []
    let run: () -> Int32

    /// Returns the error number of a forbidden failure.
    func failure() -> Int32? {
        guard run() < 0 else { return nil }
        let code = errno
        return allowed.contains(code) ? nil : code
    }

    static func random(in folder: String, by thread: Int, _ random: inout SeededGenerator) -> NameCall {
        let number = random.number(0..<2)
        let own = "\(folder)/.own\(thread)"
        switch random.number(0..<4) {
        case 0:
            return change("\(folder)/file\(number)", "\(folder)/link\(number)", "\(folder)/gone\(number)", own, &random)
        case 1: return look(at: "\(folder)/link\(number)", "\(folder)/link\(number)", &random)
        case 2: return ofGone("\(folder)/gone\(number)", &random)
        default: return look(at: "\(folder)/file\(number)", "\(folder)/link\(number)", &random)
        }
    }

    /// A call that assigns a name to something else, or takes it away.
    private static func change(
        _ file: String, _ link: String, _ gone: String, _ own: String, _ random: inout SeededGenerator
    ) -> NameCall {
        switch random.number(0..<5) {
        case 0:
            return NameCall(description: "save by renaming") {
                onFile(own, O_WRONLY | O_CREAT | O_TRUNC) { write($0, "new", 3) < 0 ? -1 : rename(own, file) }
            }
        case 1:
            return NameCall(description: "rename of an empty file") {
                mknod(own, S_IFREG | 0o600, 0) < 0 ? -1 : rename(own, file)
            }
        case 2:
            return NameCall(description: "swap of a link") {
                symlink("target\(link.last ?? "0")", own) < 0 ? -1 : rename(own, link)
            }
        case 3:
            return NameCall(description: "exchange, and removal of the old file") {
                mknod(own, S_IFREG | 0o600, 0) < 0 || linux_rename(own, file, 2) < 0 ? -1 : unlink(own)
            }
        default: return NameCall(description: "removal", allowed: [ENOENT]) { unlink(gone) }
        }
    }

    /// A call on a name that always exists.
    private static func look(at name: String, _ link: String, _ random: inout SeededGenerator) -> NameCall {
        let flags: [(String, Int32)] = [
            ("O_RDWR", O_RDWR), ("O_WRONLY|O_TRUNC", O_WRONLY | O_TRUNC),
            ("O_CREAT|O_TRUNC", O_WRONLY | O_CREAT | O_TRUNC),
            ("O_CREAT|O_APPEND", O_WRONLY | O_CREAT | O_APPEND),
        ]
        switch random.number(0..<8) {
        case 0..<3:
            let (text, value) = flags[random.number(0..<flags.count)]
            return NameCall(description: "open with \(text), write, fstat") {
                onFile(name, value) { write($0, "y", 1) < 0 ? -1 : status($0) }
            }
        case 3:
            return NameCall(description: "open, read, fstat") {
                onFile(name, O_RDONLY) { descriptor in
                    var byte: UInt8 = 0
                    return read(descriptor, &byte, 1) < 0 ? -1 : status(descriptor)
                }
            }
        case 4:
            return NameCall(description: "readlink") {
                var text = [CChar](repeating: 0, count: 64); return Int32(readlink(link, &text, 64))
            }
        case 5: return NameCall(description: "chmod") { chmod(name, 0o644) }
        case 6: return NameCall(description: "setxattr") { setxattr(name, "user.k", "v", 1, 0) }
        default: return NameCall(description: "truncate") { truncate(name, 2) }
        }
    }

    /// A call on a name that comes and goes.
    private static func ofGone(_ name: String, _ random: inout SeededGenerator) -> NameCall {
        switch random.number(0..<3) {
        case 0:
            NameCall(description: "open with O_CREAT|O_RDWR of a name that is removed") {
                onFile(name, O_RDWR | O_CREAT) { status($0) }
            }
        case 1:
            NameCall(description: "open with O_RDWR of a name that is removed", allowed: [ENOENT]) {
                onFile(name, O_RDWR) { status($0) }
            }
        default: NameCall(description: "stat of a name that is removed", allowed: [ENOENT]) { access(name, F_OK) }
        }
    }

    private static func onFile(_ name: String, _ flags: Int32, _ body: (Int32) -> Int32) -> Int32 {
        let descriptor = open(name, flags, 0o644)
        guard descriptor >= 0 else { return -1 }
        let result = body(descriptor)
        let code = errno
        close(descriptor)
        errno = code
        return result
    }

    private static func status(_ descriptor: Int32) -> Int32 {
        var status = stat()
        return fstat(descriptor, &status)
    }
}
