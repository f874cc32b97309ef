import LocalMetadata
import TestSupport
import Testing

@testable import Mount

@Suite("Calls of the announcer")
struct AnnouncerCallTests {
    @Test("a call is decoded as it was encoded, with any bytes in its names")
    func roundTrip() throws {
        for call in [
            AnnouncerCall(.touch, Array("a/b/c".utf8)), AnnouncerCall(.makeFolder, [0xFF, 0x0A]),
            AnnouncerCall(.rename, Array("a/b".utf8), Array("c".utf8)),
        ] {
            #expect(try AnnouncerCall(decoding: #require(call.encoded)) == call)
        }
        #expect(AnnouncerCall(.touch, [UInt8](repeating: 0x61, count: AnnouncerCall.maximumLength)).encoded == nil)
    }

    @Test("bytes that are no call, and paths that leave the mount, are refused")
    func refused() {
        for text in [
            "", "t", "ta", "ta\0b\0", "ma\0", "xa\0", "t\0", "t/a\0", "ta/\0", "ta//b\0", "t..\0", "ta/../b\0", "t.\0",
        ] {
            #expect(AnnouncerCall(decoding: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("any bytes are decoded without a trap, and what is a call encodes to the same bytes", arguments: 0..<300)
    func anyBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = Array("gfdlurmt/.ab\0\0".utf8)
        let bytes = (0..<Int.random(in: 0..<12, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
        if let call = AnnouncerCall(decoding: bytes) { #expect(call.encoded == bytes, "seed \(seed)") }
    }

    @Test("an item without a path, or of a kind that other devices do not have, is not announced")
    func impossible() {
        let place = Announcement.Place(parent: NodeID(9), name: Array("a".utf8))
        func call(_ kind: LocalKind, _ change: Announcement.Change, _ path: [UInt8]?) -> AnnouncerCall? {
            AnnouncerCall(Announcement(node: NodeID(1), kind: kind, place: place, change: change)) { _ in path }
        }
        let folder = Array("f".utf8)
        #expect(call(.file, .created, folder) == AnnouncerCall(.makeFile, Array("f/a".utf8)))
        #expect(call(.folder, .removed, folder) == AnnouncerCall(.removeFolder, Array("f/a".utf8)))
        #expect(call(.file, .created, nil) == nil)
        #expect(call(.pipe, .created, folder) == nil)
        let former = Announcement.Place(parent: .root, name: Array("b".utf8))
        #expect(call(.file, .moved(from: former), folder) == AnnouncerCall(.rename, Array("b".utf8), Array("f/a".utf8)))
    }
}
