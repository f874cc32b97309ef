import Basics
import ContainerLog

/// The writes of each key, and which of them a device had seen when it replaced them: recorded from the log and from
/// devices' results, without the rules of the reducer.
struct KeyLedger {
    /// A write of a key. Its time is later than all writes seen by its writer, so it identifies the write.
    struct Write: Hashable {
        /// The value written; nil if the key was removed.
        let value: [UInt8]?
        let time: Timestamp

        var text: String { value.map { "‘\(String(decoding: $0, as: UTF8.self))’" } ?? "nothing" }
    }

    private var written: [String: Set<Write>] = [:]
    /// Writes replaced by a device that had seen them.
    private var superseded: [String: Set<Write>] = [:]

    /// Whether a state or the cloud went back, so writes seen by a device may be gone.
    var hasPast = false

    mutating func write(_ write: Write, to key: String, having seen: Set<Write>) {
        written[key, default: []].insert(write)
        superseded[key, default: []].formUnion(seen.subtracting([write]))
    }

    /// Returns the problems if all devices show `entry` for a key. The log may have set a write's time back, never forward.
    func problems(_ key: String, shown entry: KeyValueEntry?) -> [String] {
        let known = written[key] ?? []
        let latest = known.subtracting(superseded[key] ?? [])
        guard let entry else {
            return known.isEmpty || hasPast ? [] : ["key \(key) was written, and no device knows of it"]
        }
        func isShown(_ write: Write) -> Bool { write.value == entry.value && entry.time <= write.time }
        guard !(hasPast ? known : latest).contains(where: isShown) else { return [] }
        let what = Write(value: entry.value, time: entry.time).text
        return [
            known.contains(where: isShown)
                ? "key \(key) shows \(what), which was replaced by a device that had seen it"
                : "\(what) of key \(key) is invented"
        ]
    }
}
