import Basics
import CloudModel
import CloudStorage

/// The keys of a cloud's objects, as listed in `docs/BACKENDS.md`.
struct S3Layout: Hashable, Sendable {
    /// The prefix of all keys: empty, or with a slash at its end.
    let prefix: String

    init(prefix: String) { self.prefix = prefix.isEmpty ? "" : "\(prefix)/" }

    var identity: String { "\(prefix)ubiquity-cloud" }
    var bell: String { "\(prefix)bell" }
    /// The prefix of a new cloud's test objects, created to learn whether the store creates atomically.
    var probes: String { "\(prefix)probe/" }
    /// The prefix of a small object per container, separate from the containers' contents, so that a single request
    /// lists them.
    var names: String { "\(prefix)names/" }

    func name(_ container: ContainerName) -> String { "\(names)\(container)" }
    func log(_ container: ContainerName) -> String { "\(prefix)containers/\(container)/log/" }
    func chunks(_ container: ContainerName) -> String { "\(prefix)containers/\(container)/chunks/" }

    // MARK: Log

    /// The greatest entry number. Keys are listed in byte order, which is that of the numbers up to nine digits.
    static let maximumEntry: UInt64 = 999_999_999

    func entry(_ container: ContainerName, _ number: UInt64) -> String {
        "\(log(container))\(Self.padded(number, to: 9))"
    }

    /// Returns the number of an entry's key; nil for a different key.
    func entryNumber(_ key: String, in container: ContainerName) -> UInt64? {
        let log = log(container)
        guard key.hasPrefix(log), let number = UInt64(key.dropFirst(log.count)), number > 0,
            entry(container, number) == key
        else { return nil }
        return number
    }

    func segment(_ container: ContainerName, _ index: UInt64) -> String {
        "\(prefix)containers/\(container)/segments/\(Self.padded(index, to: 6))"
    }

    // MARK: Chunks

    /// The key of a chunk. An epoch has ten digits, so that listings have the order of ``ChunkKey``.
    func chunk(_ chunk: ChunkKey, in container: ContainerName) -> String {
        let digits = chunk.id.description
        let epoch = chunk.epoch == 0 ? "" : ".\(Self.padded(chunk.epoch, to: 10))"
        return "\(chunks(container))\(digits.prefix(2))/\(digits.dropFirst(2))\(epoch)"
    }

    /// Returns the chunk of a key; nil for a key not produced by ``chunk(_:in:)``.
    func chunkKey(_ key: String, in container: ContainerName) -> ChunkKey? {
        let chunks = chunks(container)
        guard key.hasPrefix(chunks) else { return nil }
        let parts = key.dropFirst(chunks.count).split(separator: ".", omittingEmptySubsequences: false)
        guard let digits = parts.first, parts.count <= 2, let bytes = Hex.decode(digits.filter { $0 != "/" }),
            let id = ChunkID(bytes)
        else { return nil }
        var found = ChunkKey(id)
        if parts.count == 2 {
            guard let epoch = UInt64(parts[1]), epoch > 0 else { return nil }
            found = ChunkKey(id, epoch: epoch)
        }
        return chunk(found, in: container) == key ? found : nil
    }

    private static func padded(_ value: UInt64, to width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
