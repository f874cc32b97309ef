import Basics
import CloudModel
import CloudStorage
import Cryptography
import TestSupport
import Testing

@testable import DirectoryCloud

@Suite("Formats of the cloud's files")
struct FormatTests {
    @Test("An identity file is decoded as it was encoded")
    func identity() throws {
        var generator = SystemRandomNumberGenerator()
        let file = IdentityFile.random(using: &generator)
        #expect(try IdentityFile(Array(file.text.utf8)) == file)
        #expect(IdentityFile.random(using: &generator) != file)
    }

    @Test(
        "Identity files of other kinds and formats are distinguished",
        arguments: [
            ("ubiquity cloud\nformat 2\nanything\n", IdentityFile.Problem.newer(2)),
            ("ubiquity cloud\nformat 1\nidentity 0123\n", .notOurs), ("ubiquity cloud\nformat 0\nx\n", .notOurs),
            ("ubiquity cloud\nformat 1\nidentity 0123456789abcdef0123456789abcdeF\n", .notOurs), ("", .notOurs),
            ("ubiquity cloud\nformat 1\nidentity 0123456789abcdef0123456789abcdef", .notOurs),
            ("ubiquity cloud\nformat 99999999999999999999\n\n", .notOurs),
        ])
    func identityProblems(text: String, problem: IdentityFile.Problem) {
        #expect(throws: problem) { try IdentityFile(Array(text.utf8)) }
    }

    @Test("A change of any bytes of our files is rejected or gives a valid value")
    func fuzz() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let identity = Array(IdentityFile.random(using: &generator).text.utf8)
        let payload: [UInt8] = [1, 2, 3]
        let header = try StoredFrame.entry(payload, digest: Digest.zero.chained(payload)).header
        for _ in 0..<5_000 {
            let text = mutated(identity, &generator)
            if let file = try? IdentityFile(text) { #expect(Array(file.text.utf8) == text, "seed \(seed)") }
            let bytes = mutated(header, &generator)
            let size = Int64.random(in: -1...100, using: &generator)
            if let frame = try? StoredFrame(.entry, header: bytes, fileSize: size) {
                #expect(Int64(frame.length) == size - 52, "seed \(seed)")
            }
        }
    }

    private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch UInt8.random(in: 0...3, using: &generator) {
            case 0: bytes[index] = .random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(.random(in: 0...255, using: &generator), at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    @Test("The checksum is CRC-32C")
    func checksum() {
        // The vectors of RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
        #expect(CRC32C.checksum([]) == 0)
        #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    }

    @Test("Temporary names are parsed as they were made, and other names are not temporary")
    func temporaryNames() {
        let name = TemporaryName.new()
        #expect(TemporaryName(name.text) == name)
        for text in [
            "", "1", "1-2", "-1-0000000000000000", "0-0000000000000000", "a-0000000000000000", "1-0000000000000000-",
        ] {
            #expect(TemporaryName(text) == nil)
        }
    }

    @Test("inotify events are read in any number, and truncated ones are left for the next read")
    func inotify() {
        func event(_ watch: Int32, _ mask: UInt32, _ name: String) -> [UInt8] {
            let padded = Array(name.utf8) + [UInt8](repeating: 0, count: name.isEmpty ? 0 : 16 - name.utf8.count)
            let fields = [UInt32(bitPattern: watch), mask, 0, UInt32(padded.count)]
            return fields.flatMap { field in (0..<4).map { UInt8(truncatingIfNeeded: field >> ($0 * 8)) } } + padded
        }
        let bytes = event(1, 0x100, "000000001") + event(-1, 0x4000, "") + event(2, 0x80, "b")
        let events = Inotify.parse(bytes)
        #expect(events.map(\.watch) == [1, -1, 2])
        #expect(events.map { String(decoding: $0.name, as: UTF8.self) } == ["000000001", "", "b"])
        #expect(events.map(\.isOverflow) == [false, true, false])
        for length in 0..<bytes.count { #expect(Inotify.parse(Array(bytes.prefix(length))).count < 3) }
    }
}
