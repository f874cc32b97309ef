import Basics
import Chunking
import CloudModel
import Glibc
import TestSupport
import Testing

@Suite struct FileChunkerTests {
    @Test("A scan of a sparse file resumes beyond 4 GiB with correct offsets")
    func beyondFourGiB() throws {
        let descriptor = try anonymousFile()
        defer { close(descriptor) }
        var random = SeededGenerator(seed: 3)
        let bytes = random.bytes(3 << 20)
        let start: UInt64 = 5 << 30
        let written = try check("pwrite") { pwrite(descriptor, bytes, bytes.count, off_t(start)) }
        #expect(written == bytes.count)
        let scan = try FileChunker().scan(descriptor, from: start, budget: .max)
        #expect(scan.reachedEnd)
        #expect(scan.nextOffset == start + UInt64(bytes.count))
        #expect(scan.entries.first?.id == Digest.of(Array(bytes[..<scan.entries[0].length])))
    }

    @Test("A step stops at the first boundary after its budget and reports that there is more")
    func budget() throws {
        let descriptor = try anonymousFile()
        defer { close(descriptor) }
        try check("ftruncate") { ftruncate(descriptor, 3 << 20) }
        let scan = try FileChunker().scan(descriptor, from: 0, budget: 1)
        #expect(scan.entries.map(\.length) == [1 << 20])
        #expect(!scan.reachedEnd)
        let last = try FileChunker().scan(descriptor, from: 2 << 20, budget: 1 << 20)
        #expect(last.reachedEnd, "an exact end is known without another step")
    }

    @Test("A read error is thrown, and never taken for the end of the file")
    func readError() {
        #expect(throws: Errno(EBADF)) { try FileChunker().scan(-1, from: 0, budget: 1) }
    }
}

/// Opens a file without a name for reading and writing.
private func anonymousFile() throws -> Int32 {
    var path = Array("/tmp/chunks-XXXXXX".utf8CString)
    let descriptor = try check("mkstemp") { mkstemp(&path) }
    unlink(path)
    return descriptor
}
