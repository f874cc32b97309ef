import Chunking

/// An event from reading a batch of files.
enum StagedEvent: Sendable {
    case chunk(ChunkEntry, item: Int, offset: UInt64)
    /// The whole file is divided into chunks, and they are named.
    case hashed(item: Int)
    case failed(item: Int, TransferError)
}

/// Reads a batch of files in order, in steps short enough for a shared thread. Keeps names of chunks, never bytes.
struct UploadStager: Sendable {
    /// Takes tens of milliseconds to hash.
    static let stepBytes = 8 << 20
    /// Each small file costs an open and a close.
    static let stepItems = 128

    private let items: [UploadItem]
    private let chunker: FileChunker
    private var item = 0
    private var offset: UInt64 = 0

    init(items: [UploadItem], chunker: FileChunker) {
        self.items = items
        self.chunker = chunker
    }

    var isAtEnd: Bool { item == items.count }

    /// Reads and hashes the next step. Blocks on the disk and uses the processor.
    mutating func step() -> [StagedEvent] {
        var events: [StagedEvent] = []
        var budget = Self.stepBytes
        let lastItem = min(items.count, item + Self.stepItems)
        while budget > 0, item < lastItem {
            do {
                budget -= try scan(budget: budget, into: &events)
            } catch {
                events.append(.failed(item: item, TransferError(error)))
                advance()
            }
        }
        return events
    }

    /// Continues reading the current file.
    ///
    /// - Returns: The number of bytes read.
    private mutating func scan(budget: Int, into events: inout [StagedEvent]) throws -> Int {
        let file = try items[item].openUnchanged()
        let size = items[item].size
        let scan = try chunker.scan(file.raw, from: offset, budget: budget, expectedSize: size)
        var position = offset
        for entry in scan.entries {
            events.append(.chunk(entry, item: item, offset: position))
            position += UInt64(entry.length)
        }
        let count = Int(position - offset)
        offset = position
        if scan.reachedEnd || position > items[item].size {
            events.append(.hashed(item: item))
            advance()
        }
        return count
    }

    private mutating func advance() {
        item += 1
        offset = 0
    }
}
