import Basics
import ContainerLog

/// Who wrote what to which key, and who had seen it when writing: kept from the log and from what devices answered, never asking the rules.
struct KeyLedger {
    /// One write of a key. Its time is later than that of all its writer had seen, so it tells writes apart.
    struct Write: Hashable {
        /// Nil: removed.
        let value: [UInt8]?
        let time: Timestamp

        var text: String { value.map { "‘\(String(decoding: $0, as: UTF8.self))’" } ?? "nothing" }
    }

    private var written: [String: Set<Write>] = [:]
    /// What somebody replaced who had seen it.
    private var superseded: [String: Set<Write>] = [:]

    mutating func write(_ write: Write, to key: String, having seen: Set<Write>) {
        written[key, default: []].insert(write)
        superseded[key, default: []].formUnion(seen.subtracting([write]))
    }

    /// What is wrong where everybody shows this of a key. The log may have set a write's time back, never forward.
    func problems(_ key: String, shown entry: KeyValueEntry?) -> [String] {
        let known = written[key] ?? []
        let latest = known.subtracting(superseded[key] ?? [])
        guard let entry else { return known.isEmpty ? [] : ["key \(key) was written, and nobody knows of it"] }
        func isShown(_ write: Write) -> Bool { write.value == entry.value && entry.time <= write.time }
        guard !latest.contains(where: isShown) else { return [] }
        let what = Write(value: entry.value, time: entry.time).text
        return [
            known.contains(where: isShown)
                ? "key \(key) shows \(what), which was replaced by who had seen it"
                : "\(what) of key \(key) is invented"
        ]
    }
}
