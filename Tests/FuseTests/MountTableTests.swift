import TestSupport
import Testing

@testable import Fuse

@Suite("The mount table")
struct MountTableTests {
    private let text = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        40 22 0:35 / /home/a\\040b rw,nosuid,nodev shared:9 master:2 - fuse.ubiquity ubiquity rw,user_id=0
        41 40 0:36 / /home/a\\040b rw - tmpfs none rw

        """

    @Test("A path is found by its unescaped bytes, the latest mount first")
    func topmost() {
        let table = MountTable(parsing: Array(text.utf8))
        #expect(table.entries.map(\.type) == ["ext4", "fuse.ubiquity", "tmpfs"])
        #expect(table.entries[1].isFuse && !table.entries[2].isFuse)
        #expect(table.topmost(at: Array("/home/a b".utf8))?.device == "0:36")
        #expect(table.topmost(at: Array("/home".utf8)) == nil)
    }

    @Test("An invalid escape is kept as it is", arguments: ["a\\04", "a\\", "a\\9zz", "a\\400"])
    func brokenEscapes(text: String) {
        let bytes = Array(text.utf8)
        #expect(MountTable.unescape(bytes[...]) == bytes)
    }

    @Test("Any bytes can be parsed, and a damaged line does not affect the others")
    func anyBytes() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let good = Array(text.utf8)
        for _ in 0..<2000 {
            var bytes = good
            let place = Int(random.next() % UInt64(good.count))
            bytes[place] = UInt8(truncatingIfNeeded: random.next())
            let table = MountTable(parsing: bytes)
            #expect(table.entries.count >= 1, "seed \(seed)")
        }
    }
}
