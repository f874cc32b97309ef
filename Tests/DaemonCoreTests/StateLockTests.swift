import DaemonCore
import DaemonProtocol
import FoundationEssentials
import Glibc
import Testing

@Suite("The lock of a state directory")
struct StateLockTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    @Test("a second daemon is refused at once, with the name of the first, and can start when the first has ended")
    func exclusion() throws {
        try withDirectory { directory in
            do {
                let first = try StateLock.acquire(stateDirectory: directory)
                let failure = #expect(throws: DaemonFailure.self) {
                    _ = try StateLock.acquire(stateDirectory: directory)
                }
                #expect(failure?.code == .stateInUse)
                #expect(
                    failure?.description.contains("daemon \(getpid()) uses this state directory: \(directory)") == true)
                withExtendedLifetime(first) {}
            }
            _ = try StateLock.acquire(stateDirectory: directory)
        }
    }

    @Test("a directory that others can write to is refused, and one that they can read is closed to them")
    func foreign() throws {
        try withDirectory { directory in
            mkdir(directory, 0o700)
            for mode: mode_t in [0o777, 0o770, 0o702] {
                chmod(directory, mode)
                let failure = #expect(throws: DaemonFailure.self) {
                    _ = try StateLock.acquire(stateDirectory: directory)
                }
                #expect(failure?.code == .permissionDenied && failure?.path == directory)
            }
            chmod(directory, 0o755)
            _ = try StateLock.acquire(stateDirectory: directory)
            var information = stat()
            #expect(stat(directory, &information) == 0 && information.st_mode & 0o777 == 0o700)
        }
    }

    @Test("a link in place of the lock is not followed")
    func link() throws {
        try withDirectory { directory in
            mkdir(directory, 0o700)
            symlink("\(directory)/elsewhere", "\(directory)/lock")
            #expect(throws: DaemonFailure.self) { _ = try StateLock.acquire(stateDirectory: directory) }
            #expect(access("\(directory)/elsewhere", F_OK) != 0)
        }
    }

    @Test("the error for a directory that cannot be created names it")
    func unusable() {
        let failure = #expect(throws: DaemonFailure.self) { _ = try StateLock.acquire(stateDirectory: "/proc/x/y") }
        #expect(failure?.path == "/proc/x/y")
    }
}
