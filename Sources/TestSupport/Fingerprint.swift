import Basics
import CloudModel
import ContainerLog

/// A hash (FNV-1a, 64 bits) of the result of folding a log: it shows changes, and does not resist an attacker.
struct Fingerprint: CustomStringConvertible {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    var description: String { String(hash, radix: 16) }

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func combine(_ text: String) {
        combine(text.utf8)
        combine([0])
    }

    mutating func combine(_ result: FoldResult?) {
        guard let result else { return combine("void") }
        combine("\(result.isRepeat) \(result.isRefused) \(result.touched)")
        for merge in result.merged { combine("\(merge.from) \(merge.into)") }
        combine("\(result.touchedKeys.sorted()) \(result.refusedKeys.sorted())")
    }

    /// Adds everything in a tree, including parts not covered by its digest.
    mutating func combine(_ tree: DictionaryTree) {
        let state = tree.state()
        combine("\(state.sequence) \(state.rules) \(state.time.nanoseconds) \(state.foldsNames)")
        for item in tree.allItems.sorted(by: { $0.id < $1.id }) { combine(item.encoded()) }
        for (id, target) in tree.aliases.sorted(by: { $0.key < $1.key }) { combine("\(id) \(target)") }
        for (device, number) in tree.lastSequences.sorted(by: { $0.key < $1.key }) { combine("\(device) \(number)") }
        for (_, collection) in tree.collections.sorted(by: { $0.key < $1.key }) {
            combine("collection \(collection.epoch) \(collection.phase) \(collection.list.digest)")
        }
        for (key, entry) in tree.keyValues.sorted(by: { $0.key < $1.key }) {
            combine("\(key) \(entry.time.nanoseconds) \(String(describing: entry.value))")
        }
    }
}
