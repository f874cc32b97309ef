import Faults

/// A sequence of random operations on names unique to this storm.
struct Storm {
    private var state: UInt64
    private let name: String
    private var generations: [Int: Int] = [:]
    private var removed: Set<Int> = []
    private var records = 0
    private static let documents = 12

    init(seed: UInt64, name: String) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.name = name
    }

    mutating func next() -> FaultOperation {
        let document = chance(Self.documents)
        let path = "w\(name)-\(document)"
        let kind = chance(20)
        if kind == 0, generations[document] != nil, !removed.contains(document) {
            removed.insert(document)
            return .remove(path: path)
        }
        if kind < 5 {
            records += 1
            return .append(path: "journal\(name)", generation: records)
        }
        let generation = (generations[document] ?? 0) + 1
        generations[document] = generation
        removed.remove(document)
        return switch kind {
        case 5..<9: .write(path: path, generation: generation)
        case 9..<12: .sync(path: path, generation: generation)
        default: .replace(path: path, generation: generation)
        }
    }

    private mutating func chance(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }
}
