import DaemonProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Ubiquity

@Suite("Writing a key-value store to the daemon")
struct KeyValueFlushTests {
    /// A daemon that accepts at most `room` keys, and fails after `patience` requests.
    private final class Shelf {
        var kept: [String: PropertyValue] = [:]
        var requests = 0
        let room: Int
        let patience: Int
        init(room: Int, patience: Int = .max) { (self.room, self.patience) = (room, patience) }

        func take(_ part: KeyValueFlush.Written) throws(DaemonFailure) {
            requests += 1
            guard requests <= patience else { throw DaemonFailure(.failed, "it is gone") }
            var next = kept
            for (key, value) in part { next[key] = value }
            guard next.count <= room else { throw DaemonFailure(.quota, "too much") }
            kept = next
        }
    }

    @Test("all keys are sent in one request if they fit")
    func fits() {
        let shelf = Shelf(room: 9)
        let written = Dictionary(
            uniqueKeysWithValues: (0..<9).map { ("k\($0)", PropertyValue?.some(.integer(Int64($0)))) })
        let (taken, refused) = KeyValueFlush(write: shelf.take).send(written)
        #expect(taken.count == 9 && refused.isEmpty && shelf.requests == 1)
    }

    @Test(
        "as many keys are kept as fit, removals first, and every key is accepted or refused", arguments: UInt64(1)...50)
    func keepsWhatFits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let shelf = Shelf(room: random.number(1..<12))
        for number in 0..<shelf.room { shelf.kept["old\(number)"] = .flag(true) }
        var written: KeyValueFlush.Written = [:]
        let removals = random.number(0..<shelf.room + 1)
        for number in 0..<removals { written["old\(number)"] = .some(nil) }
        for number in 0..<random.number(0..<20) { written["new\(number)"] = .some(.integer(Int64(number))) }
        let new = written.count - removals
        let (taken, refused) = KeyValueFlush(write: shelf.take).send(written)
        #expect(taken.count + refused.count == written.count, "seed \(seed)")
        #expect(refused.count == max(0, new - removals), "seed \(seed)")
        #expect(taken.allSatisfy { shelf.kept[$0.key] == $0.value } && refused.allSatisfy { shelf.kept[$0.key] == nil })
    }

    @Test("keys that a daemon did not receive before it exited are neither accepted nor refused")
    func gone() {
        let shelf = Shelf(room: 2, patience: 2)
        let written = Dictionary(
            uniqueKeysWithValues: (0..<8).map { ("k\($0)", PropertyValue?.some(.integer(Int64($0)))) })
        let (taken, refused) = KeyValueFlush(write: shelf.take).send(written)
        #expect(taken.isEmpty && refused.isEmpty)
    }

    @Test("the stored values are read back, however deeply they are nested")
    func cache() {
        let name = "com.example.cache-\(UUID().uuidString.lowercased())"
        let cache = KeyValueCache(name)
        #expect(cache.read() == nil)
        let deep = (0..<62).reduce(PropertyValue.flag(true)) { value, _ in .array([value]) }
        let kept = KeyValueCache.Kept(account: "file:///c", values: ["deep": deep, "n": .integer(.max)])
        cache.write(kept)
        #expect(cache.read() == kept)
        unlink("\(KeyValueJournal.path(of: name)).known")
    }
}
