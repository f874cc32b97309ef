import Foundation
import Glibc
import Testing

/// The kernel module's parameter by which root enables FUSE over io_uring. It counts when a file system is mounted.
enum RingParameter {
    static let path = "/sys/module/fuse/parameters/enable_uring"

    /// Whether this kernel has FUSE over io_uring.
    static var exists: Bool { access(path, F_OK) == 0 }

    /// Runs `body`, which mounts, with the parameter on, and restores it. Other test processes wait meanwhile.
    static func enabled<Result>(_ body: () async throws -> Result) async throws -> Result {
        let lock = open(path, O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { throw FuseFixture.Failure(description: "\(path) cannot be read") }
        defer { close(lock) }
        _ = try await onThread { flock(lock, LOCK_EX) }
        let before = try String(contentsOfFile: path, encoding: .utf8)
        try set("Y")
        do {
            let result = try await body()
            try set(before)
            return result
        } catch {
            try set(before)
            throw error
        }
    }

    private static func set(_ value: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, write(file, value, value.utf8.count) == value.utf8.count else {
            let reason = String(cString: strerror(errno))
            throw FuseFixture.Failure(
                description: "\(path) cannot be set (\(reason)): run the tests as root, with a writable /sys")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// The test needs a kernel with FUSE over io_uring; older kernels leave nothing to test, as no mount uses it there.
    static var needsRings: Self {
        .enabled(
            if: RingParameter.exists, "needs Linux 6.14 with CONFIG_FUSE_IO_URING: \(RingParameter.path) is missing")
    }
}
