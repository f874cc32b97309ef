import ArgumentParser
import Basics
import Chunking
import CloudModel
import CloudStorage
import ContainerLog
import DirectoryCloud
import Logging
import SystemPackage

/// Creates a cloud in a directory with many items in its log, as if a device had created them in sequence.
@main
struct LongLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "long-log")

    @Argument(help: "The directory of the cloud.")
    var directory: String

    @Option(help: "Folders and documents together; each folder has 999 documents.")
    var items = 200_000

    @Option(help: "Documents that were made and deleted, one after each item.")
    var deleted = 0

    @Option(help: "Changes of an entry: a device that uploads while its items are made sends about as many.")
    var changes = 81

    func run() async throws {
        let backend = DirectoryBackend(
            path: FilePath(directory), logger: Logger(label: "long-log") { _ in SwiftLogNoOpLogHandler() })
        _ = try await backend.connect(create: true)
        try await backend.createContainer(.cloudDocs)
        var waiting: [Change] = []
        var entries: UInt64 = 0
        var parent = ItemID.documents
        for item in 0..<items {
            let (folder, number) = (item / 1_000, item % 1_000)
            if number == 0 {
                parent = id(item)
                waiting.append(try folderChange(item, named: "\(folder)"))
            } else {
                let bytes = bytes(ofFolder: folder)
                if number == 1 {
                    try await backend.putChunk(
                        OutgoingChunk(id: Digest.of(bytes), frame: ChunkFrame.encode(bytes)), in: .cloudDocs)
                }
                let content = content(ofFolder: folder)
                waiting.append(
                    .create(
                        id(item), parent: parent, name: try ItemName("document \(number - 1).txt"),
                        attributes: attributes(0o644), body: .file(.stored(content))))
            }
            if item < deleted { waiting.append(try shortLived(item, in: parent)) }
            // The log has it for a while: a deletion in the item's own entry would leave no tombstone.
            if item >= changes, item - changes < deleted {
                let gone = item - changes
                waiting.append(.delete(id(items + gone), base: content(ofFolder: gone / 1_000).digest))
            }
            if waiting.count >= changes || item == items - 1 {
                entries += 1
                try await append(waiting, entries, to: backend)
                waiting = []
            }
        }
        print("\(items) items in \(entries) entries")
    }

    private func folderChange(_ item: Int, named name: String) throws -> Change {
        .create(
            id(item), parent: .documents, name: try ItemName(name), attributes: attributes(0o755), body: .folder)
    }

    private func shortLived(_ item: Int, in parent: ItemID) throws -> Change {
        .create(
            id(items + item), parent: parent, name: try ItemName("gone \(item).txt"), attributes: attributes(0o644),
            body: .file(.stored(content(ofFolder: item / 1_000))))
    }

    private func bytes(ofFolder folder: Int) -> [UInt8] { Array("folder \(folder)".utf8) }

    /// All documents of a folder have the same bytes.
    private func content(ofFolder folder: Int) -> ContentReference {
        let bytes = bytes(ofFolder: folder)
        return ContentReference(digest: Digest.of(bytes), size: UInt64(bytes.count), layout: .chunk)
    }

    private func append(_ changes: [Change], _ number: UInt64, to backend: DirectoryBackend) async throws {
        let batch = ChangeBatch(
            device: DeviceID(1), deviceName: "A", deviceSequence: number, time: SystemTime().now(), changes: changes)
        _ = try await backend.append(try batch.encoded(), to: .cloudDocs, after: .start)
    }

    /// Ids are random in real logs, so that neighbours in a folder are not neighbours in an index.
    private func id(_ item: Int) -> ItemID {
        ItemID(high: (UInt64(item) &+ 1) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(item))
    }

    private func attributes(_ permissions: UInt16) -> ItemAttributes {
        let now = SystemTime().now()
        return ItemAttributes(permissions: permissions, modified: now, created: now)
    }
}
