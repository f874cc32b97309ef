import Basics
import CloudModel
import ContainerLog
import TestSupport
import Testing

/// A log written by the devices `a`, `b` and `c`, and its folded tree. Each call appends an entry, a minute after the
/// previous entry.
struct TestLog {
    private(set) var tree: DictionaryTree
    /// All folded batches.
    private(set) var batches: [ChangeBatch] = []
    private(set) var minute: Int64 = 0
    private var sequences: [DeviceID: UInt64] = [:]

    static let a = DeviceID(1)
    static let b = DeviceID(2)
    static let c = DeviceID(3)

    init(foldsNames: Bool = false) throws {
        tree = DictionaryTree(foldsNames: foldsNames)
        try ContainerReducer.initialise(&tree, foldsNames: foldsNames)
    }

    @discardableResult
    mutating func append(_ device: DeviceID = a, _ changes: Change...) throws -> FoldResult {
        try fold(batch(device, changes))
    }

    /// Returns a batch of an up-to-date device, with the packages it changes.
    mutating func made(_ device: DeviceID, _ changes: Change...) throws -> ChangeBatch { try made(device, changes) }

    mutating func made(_ device: DeviceID, _ changes: [Change]) throws -> ChangeBatch {
        var batch = batch(device, changes)
        batch.packages = try tree.packages(changedBy: changes)
        return batch
    }

    private mutating func batch(_ device: DeviceID, _ changes: [Change]) -> ChangeBatch {
        minute += 1
        sequences[device, default: 0] += 1
        return ChangeBatch(
            device: device, deviceName: Self.name(device), deviceSequence: sequences[device, default: 0],
            time: .minute(minute), changes: changes)
    }

    @discardableResult
    mutating func fold(_ batch: ChangeBatch) throws -> FoldResult {
        let result = try ContainerReducer().fold(batch, at: tree.state().sequence.next, into: &tree)
        batches.append(batch)
        #expect(problems(of: tree).isEmpty)
        return result
    }

    static func name(_ device: DeviceID) -> String { ["?", "desk", "lap", "pad"][Int(device.value & 3)] }

    // MARK: Shorthand for changes

    mutating func file(
        _ id: UInt64, _ name: ItemName, _ content: UInt64, in parent: ItemID = .root, by device: DeviceID = a
    ) throws {
        try append(device, .file(id, name, content, in: parent, modified: .minute(minute + 1)))
    }

    mutating func folder(_ id: UInt64, _ name: ItemName, in parent: ItemID = .root, by device: DeviceID = a) throws {
        try append(device, .folder(id, name, in: parent))
    }

    @discardableResult
    mutating func edit(
        _ id: UInt64, from base: UInt64?, to content: UInt64, at modified: Int64, by device: DeviceID = a
    ) throws -> FoldResult {
        try append(device, .edit(id, from: base, to: content, at: modified))
    }

    // MARK: Results

    func item(_ id: UInt64) -> CloudItem? { tree.item(.sample(id)) }

    /// Returns the file's content numbers, current and conflicting.
    func contents(_ id: UInt64) -> [UInt64] {
        guard let item = item(id) else { return [] }
        return [item.body.content?.size ?? 0] + item.conflicts.map(\.content.size)
    }

    /// Returns the names of the live children, sorted.
    func names(in folder: ItemID = .root) -> [String] {
        tree.children(of: folder).compactMap { tree.item($0)?.name.description }.filter { $0 != "Documents" }.sorted()
    }

    func isLive(_ id: UInt64) -> Bool { item(id)?.isDeleted == false }
}

extension Change {
    static func file(
        _ id: UInt64, _ name: ItemName, _ content: UInt64, in parent: ItemID = .root, modified: Timestamp = .zero
    ) -> Change {
        .create(
            .sample(id), parent: parent, name: name, attributes: .sample(modified: modified), body: .sample(content))
    }

    static func folder(_ id: UInt64, _ name: ItemName, in parent: ItemID = .root) -> Change {
        .create(.sample(id), parent: parent, name: name, attributes: .sample(), body: .folder)
    }

    static func announcement(_ id: UInt64, _ name: ItemName, size: UInt64) -> Change {
        .create(.sample(id), parent: .root, name: name, attributes: .sample(), body: .file(.announced(size: size)))
    }

    static func edit(_ id: UInt64, from base: UInt64?, to content: UInt64, at modified: Int64) -> Change {
        .edit(.sample(id), base: base.map { .sample($0) }, content: .sample(content), modified: .minute(modified))
    }

    static func delete(_ id: UInt64, _ base: UInt64? = nil) -> Change {
        .delete(.sample(id), base: base.map { .sample($0) })
    }

    static func move(_ id: UInt64, to parent: ItemID, _ name: ItemName) -> Change {
        .move(.sample(id), parent: parent, name: name)
    }
}
