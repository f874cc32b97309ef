import Foundation
import Glibc
import Synchronization
import Testing

/// A file system served by a child process, so that a fault in it cannot hang the tests in the kernel: an overlong wait
/// is ended by killing the child, and the kernel then releases the waiting process.
final class FuseFixture: Sendable {
    struct Outcome: Sendable {
        /// The exit status, or minus the number of the fatal signal.
        let status: Int32
        let output: String
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The limit of each wait in seconds. Even a busy machine stays below it, so only a hang reaches it.
    static let patience = 60

    let scratch: String
    var mountPoint: String { scratch + "/mount" }
    private let asUser: Bool
    private let overRings: Bool
    private let child: Mutex<FuseChild>

    private init(scratch: String, asUser: Bool, overRings: Bool, _ arguments: [String]) throws {
        self.scratch = scratch
        self.asUser = asUser
        self.overRings = overRings
        child = Mutex(try FuseChild(Self.command(scratch, asUser: asUser, arguments)))
    }

    /// Runs `body` with a mount, and removes everything afterwards.
    ///
    /// - Parameters:
    ///   - asUser: whether an ordinary user creates the mount.
    ///   - overRings: whether io_uring is enabled at that time.
    static func with(
        _ arguments: [String] = [], asUser: Bool = false, overRings: Bool = false,
        _ body: (FuseFixture) async throws -> Void
    ) async throws {
        let scratch = NSTemporaryDirectory() + "fuse-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: scratch + "/mount", withIntermediateDirectories: true)
        if asUser, geteuid() == 0 { chown(scratch + "/mount", 65534, 65534) }
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let expanded = arguments.map { $0.replacingOccurrences(of: "SCRATCH", with: scratch) }
        try prepare(scratch)
        let fixture = try await ready(overRings) {
            try FuseFixture(scratch: scratch, asUser: asUser, overRings: overRings, expanded)
        }
        defer { fixture.tearDown() }
        try await body(fixture)
    }

    /// Starts a serving process and waits for its mount.
    private static func ready(_ overRings: Bool, _ start: () throws -> FuseFixture) async throws -> FuseFixture {
        func mounted() async throws -> FuseFixture {
            let fixture = try start()
            do { try await fixture.expectReady() } catch {
                fixture.tearDown()
                throw error
            }
            return fixture
        }
        return try await overRings ? RingParameter.enabled { try await mounted() } : mounted()
    }

    private static func prepare(_ scratch: String) throws {
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let native = try #require(try random.read(upToCount: 4 << 20))
        try native.write(to: URL(fileURLWithPath: scratch + "/native"))
        chmod(scratch + "/native", 0o666)
    }

    private static func command(_ scratch: String, asUser: Bool, _ arguments: [String]) throws -> [String] {
        let serve = [try FuseChild.program(), scratch + "/mount"] + arguments
        guard asUser, geteuid() == 0 else { return serve }
        // Ordinary users may open /dev/fuse nearly everywhere; elsewhere, this mount namespace provides an open device.
        let script = """
            mkdir -p "$0/dev" && mount -t tmpfs none "$0/dev" && mknod "$0/dev/fuse" c 10 229 &&
            chmod 666 "$0/dev/fuse" && mount --bind "$0/dev/fuse" /dev/fuse &&
            { [ -n "$(ls /sys/fs/fuse/connections)" ] || mount -t fusectl none /sys/fs/fuse/connections; } && exec "$@"
            """
        return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, scratch] + unprivileged + serve
    }

    private static let unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    private func expectReady() async throws {
        let answer = try await onThread { try self.child.withLock { try $0.readLine() } }
        guard answer == "ready" else { throw Failure(description: "the file system did not mount: \(answer)") }
    }

    /// Sends a command to the serving process and returns its response.
    func tell(_ line: String) async throws -> String {
        try await onThread {
            try self.child.withLock { child in
                try child.writeLine(line)
                return try child.readLine()
            }
        }
    }

    /// Runs a script in the mount, in the serving process's mount namespace and as its user.
    func shell(_ script: String) async throws -> Outcome { try await start(script).outcome() }

    /// Starts a script in the mount and does not wait for it.
    func start(_ script: String) throws -> FuseProgram {
        let run = ["sh", "-c", "cd \(mountPoint) && \(script)"]
        let process = child.withLock { $0.process }
        guard asUser, geteuid() == 0 else { return try FuseProgram(run, served: process) }
        return try FuseProgram(["nsenter", "-t", "\(process)", "-m", "--"] + Self.unprivileged + run, served: process)
    }

    /// The serving process.
    var process: pid_t { child.withLock { $0.process } }

    func send(_ signal: Int32) { _ = Glibc.kill(process, signal) }

    /// Ends the serving process without a chance to clean up.
    func kill() { child.withLock { $0.kill() } }

    /// Starts a new serving process at the same place.
    func restart(_ arguments: [String] = []) async throws {
        let command = try Self.command(scratch, asUser: asUser, arguments)
        _ = try await Self.ready(overRings) {
            try child.withLock { $0 = try FuseChild(command) }
            return self
        }
    }

    private func tearDown() {
        kill()
        // Removes the child's leftover mount; in a separate namespace the mount disappeared with the child.
        if !asUser { umount2(mountPoint, Int32(MNT_DETACH)) }
    }
}

/// Runs blocking code on a separate thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
