import CloudModel
import DeviceSupport
import LocalContent
import LocalMetadata
import Sync
import TestSupport
import VirtualFileSystem

extension SimulatedDevice {
    /// Drops the bytes of some file if the rules allow it; answers its path.
    func evictAny(_ random: inout SeededGenerator) throws -> String? {
        let root = try container().node
        var files: [LocalItem] = []
        try metadata.read { transaction in
            guard let item = try transaction.item(root) else { return }
            try transaction.forEach(below: item) { if $0.kind == .file, $0.presence != .none { files.append($0) } }
        }
        guard let file = random.pick(files) else { return nil }
        if cloud.bug == .evictsEdits, let edited = files.first(where: { $0.isEdited && !$0.isWriting }) {
            try dropEdit(of: edited)
        }
        do { try Evictor(context).evict(file.node) } catch is EvictionRefusal { return nil }
        return try self.files.path(of: file.node).map(\.description).joined(separator: "/")
    }

    /// Bytes that nothing refers to, or rows without their bytes.
    func leftovers() throws -> [String] {
        files.removal.flush()
        var blobs: Set<BlobName> = []
        for shard in 0..<256 { blobs.formUnion(try content.blobs(inShard: shard)) }
        let root = try container().node
        var found: [String] = []
        try metadata.read { transaction in
            guard let item = try transaction.item(root) else { return }
            try transaction.forEach(below: item) { file in
                guard file.kind == .file, file.presence != .none else { return }
                if blobs.remove(file.blob) == nil, file.size > 0 { found.append("\(file.name) has no blob") }
            }
        }
        return found + blobs.map { "blob \($0) belongs to nothing" }
    }
}
