import Basics
import CloudModel
import CloudStorage
import Glibc

/// The paths in the cloud's directory, all relative to it. `docs/BACKENDS.md` shows the tree.
enum CloudLayout {
    static let identity = "ubiquity-cloud"
    static let containers = "containers"
    /// The folder for files being written, on the same file system as their destination.
    static let temporary = "temporary"

    // Documents are private: only the cloud's owner may look into it.
    static let folderMode: mode_t = 0o700
    static let fileMode: mode_t = 0o600

    static func container(_ name: ContainerName) -> String { "\(containers)/\(name)" }
    static func log(_ name: ContainerName) -> String { "\(container(name))/log" }
    static func chunks(_ name: ContainerName) -> String { "\(container(name))/chunks" }

    /// The entries per shard of the log. A shard is a folder; a thousand entries keep its listing cheap.
    static let entriesPerShard: UInt64 = 1000

    static func shard(of sequence: UInt64) -> UInt64 { sequence / entriesPerShard }

    static func logShard(_ name: ContainerName, _ shard: UInt64) -> String {
        "\(log(name))/\(padded(shard, to: 6))"
    }

    static func entry(_ name: ContainerName, _ sequence: UInt64) -> String {
        "\(logShard(name, shard(of: sequence)))/\(padded(sequence, to: 9))"
    }

    /// Returns the number in the name of an entry or a shard; nil for a different name. The number always has a
    /// successor.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt64(text).flatMap { $0 < UInt64(Int64.max) ? $0 : nil }
    }

    /// Returns the folder of a chunk: one of 256, named by its first byte, enough for about a million chunks.
    static func chunkShard(_ place: ChunkPlace) -> String {
        "\(chunks(place.container))/\(place.key.id.description.prefix(2))"
    }

    /// Returns the file of a chunk: the rest of its digits, and from epoch 1 on a dot and the epoch.
    static func chunk(_ place: ChunkPlace) -> String {
        let epoch = place.key.epoch == 0 ? "" : ".\(place.key.epoch)"
        return "\(chunkShard(place))/\(place.key.id.description.dropFirst(2))\(epoch)"
    }

    /// Returns the key of a file in a chunk's folder; nil for a name not produced by ``chunk(_:)``.
    static func chunkKey(shard: String, name: String) -> ChunkKey? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Hex.decode(shard + parts[0]), let id = ChunkID(bytes), id.description == shard + parts[0]
        else { return nil }
        guard parts.count == 2 else { return ChunkKey(id) }
        // Only the shortest form of a number is a name, so no two files share a key.
        guard let epoch = UInt64(parts[1]), epoch > 0, String(epoch) == parts[1] else { return nil }
        return ChunkKey(id, epoch: epoch)
    }

    static func padded(_ value: UInt64, to width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
