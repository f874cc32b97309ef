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

    @Test("the error for a directory that cannot be created names it")
    func unusable() {
        let failure = #expect(throws: DaemonFailure.self) { _ = try StateLock.acquire(stateDirectory: "/proc/x/y") }
        #expect(failure?.path == "/proc/x/y")
    }
}
