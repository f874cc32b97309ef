import DaemonProtocol
import Foundation
import Glibc
import Testing

@testable import DaemonCore

@Suite("The daemon's messages during its start")
struct ReadinessPipeTests {
    private func withPipe(_ body: (_ reader: Int32, _ writer: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        try #require(made == 0)
        defer { close(ends[0]) }
        // A descriptor number not used by any test running at the same time.
        let writer = fcntl(ends[1], F_DUPFD_CLOEXEC, 700)
        close(ends[1])
        try #require(writer >= 700)
        try body(ends[0], writer)
    }

    private func text(_ reader: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("the daemon reports progress, and reports that it is ready once")
    func ready() throws {
        try withPipe { reader, writer in
            let pipe = ReadinessPipe(descriptor: writer)
            pipe.starting("reading")
            pipe.note("slow disk")
            pipe.ready()
            #expect(text(reader) == "starting: reading\nnote: slow disk\nready\n")
            #expect(text(reader).isEmpty, "the other end is closed")
        }
    }

    /// A regression test: a daemon ended by a failing disk wrote the reason into its own database.
    @Test(
        "a later failure is not written into a file that reuses the descriptor, and that file stays open")
    func reused() throws {
        try withPipe { reader, writer in
            let pipe = ReadinessPipe(descriptor: writer)
            pipe.ready()
            let path = NSTemporaryDirectory() + "/ubiquity-readiness-\(UUID().uuidString)"
            defer { unlink(path) }
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(dup2(file, writer) == writer)
            defer { close(writer) }
            pipe.failed(DaemonFailure(.failed, "the disk did not take it"))
            pipe.note("more")
            pipe.ready()
            #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
            #expect(fcntl(writer, F_GETFD) >= 0)
            close(file)
        }
    }
}
