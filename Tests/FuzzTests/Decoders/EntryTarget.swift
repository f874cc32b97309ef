import Basics
import CloudModel
import ContainerLog
import DaemonProtocol

extension FuzzTarget {
    /// Entries of a log: decoded, encoded again, and folded after a log of a few items.
    static let entries = FuzzTarget(name: "entry") { bytes in
        if let item = accepted({ try CloudItem(decoding: bytes) }) { try expectStable(item) }
        guard let batch = accepted({ try ChangeBatch(decoding: bytes) }) else { return false }
        let again = accepted { try ChangeBatch(decoding: batch.encoded()) }
        try Violation.unless(again == batch, "an entry that is encoded again differs")
        try fold(batch)
        return true
    } seeds: {
        try [
            EntrySamples.first, EntrySamples.second, EntrySamples.third, EntrySamples.fourth, EntrySamples.fifth,
            EntrySamples.sixth,
        ].map { try $0.encoded() }
    }

    private static func fold(_ batch: ChangeBatch) throws {
        var (tree, other) = (EntrySamples.tree, EntrySamples.tree)
        let next = LogPosition(tree.state().sequence.next, nil)
        let result = accepted { try ContainerReducer().fold(batch, at: next, into: &tree) }
        let same = accepted { try ContainerReducer().fold(batch, at: next, into: &other) }
        try Violation.unless(result == same, "two devices fold one entry differently")
        try Violation.unless(tree.lastSequence(of: batch.device) < .max, "a device has no next sequence number")
        try expectSound(tree)
        for item in tree.allItems {
            try expectStable(item)
            try expectShowable([item.attributes.modified, item.attributes.created] + item.conflicts.map(\.modified))
            for conflict in item.conflicts {
                let suffix = HeirName.deviceAndTime.suffix(from: conflict.authorName, at: conflict.modified)
                // Any resulting name is acceptable: it is an ``ItemName``, which cannot leave its folder.
                _ = NumberedName.beforeExtension.inserting(suffix, into: item.name)
            }
        }
    }

    private static func expectStable(_ item: CloudItem) throws(Violation) {
        let again = accepted { try CloudItem(decoding: item.encoded()) }
        try Violation.unless(again == item, "an item that is encoded again differs")
    }

    /// Converts times as `stat`, the console and the control socket do.
    static func expectShowable(_ times: [Timestamp]) throws(Violation) {
        for time in times {
            try Violation.unless((0..<1_000_000_000).contains(time.split.nanoseconds), "\(time) has odd nanoseconds")
            try Violation.unless(Timestamp(time.timespec) == time, "\(time) is another time for the kernel")
            _ = WireTime(time).text
        }
    }

    /// Expects that every live item is in its folder under its name, and that every path upwards ends at the root.
    private static func expectSound(_ tree: DictionaryTree) throws {
        let count = tree.allItems.count
        for item in tree.allItems where !item.isDeleted && item.id != .root {
            let key = NameKey(item.name, folding: tree.state().foldsNames)
            try Violation.unless(tree.child(of: item.parent, key: key) == item.id, "\(item.id) shares its name")
            var above = item
            for _ in 0...count where above.id != .root {
                guard let parent = tree.item(above.parent), !parent.isDeleted else {
                    throw Violation("\(item.id) cannot be reached")
                }
                above = parent
            }
            try Violation.unless(above.id == .root, "\(item.id) is inside itself")
        }
    }
}

/// A short log with each kind of change.
enum EntrySamples {
    private static let folder = ItemID(high: 1 << 63, low: 1)
    private static let file = ItemID(high: 1 << 63, low: 2)
    private static let link = ItemID(high: 1 << 63, low: 3)
    private static let time = Timestamp(seconds: 1_760_000_000)

    private static func content(_ number: UInt64) -> FileContent {
        .stored(ContentReference(digest: Digest(words: (number, 2, 3, 4)), size: 5, layout: .chunk))
    }

    private static func batch(_ device: UInt64, _ number: UInt64, _ changes: [Change]) -> ChangeBatch {
        ChangeBatch(
            device: DeviceID(device), deviceName: "desk \(device)", deviceSequence: number, time: time,
            changes: changes)
    }

    static var first: ChangeBatch {
        get throws {
            let attributes = ItemAttributes(
                permissions: 0o644, modified: time, created: time, extended: ["user.tag": [1, 2, 3]])
            return batch(
                1, 1,
                [
                    .create(
                        folder, parent: .documents, name: try ItemName("folder"), attributes: attributes, body: .folder),
                    .create(
                        file, parent: folder, name: try ItemName("a.txt"), attributes: attributes,
                        body: .file(content(1))),
                    .create(
                        link, parent: .documents, name: try ItemName("link"), attributes: attributes,
                        body: .symlink(target: Array("../x".utf8))),
                ])
        }
    }

    static let second = batch(
        2, 1,
        [
            .edit(file, base: nil, content: content(2), modified: time),
            .edit(file, base: Digest(words: (9, 9, 9, 9)), content: .announced(size: 7), modified: .zero),
        ])

    static var third: ChangeBatch {
        get throws {
            batch(
                1, 2,
                [
                    .move(file, parent: .documents, name: try ItemName("link")),
                    .setAttributes(
                        link, AttributeChanges(permissions: 0o600, modified: time, extended: ["user.tag": nil])),
                    .resolve(file, versions: [VersionID(sequence: LogSequence(2), index: 0)]),
                    .delete(folder, base: nil), .raiseRules(1),
                ])
        }
    }

    static var fourth: ChangeBatch {
        get throws {
            var batch = batch(2, 2, [.move(file, parent: folder, name: try ItemName("b"))])
            batch.packages = [folder, link].map { PackageVersion($0, VersionID(sequence: LogSequence(1), index: 0)) }
            return batch
        }
    }

    /// Declares package types, and a package in conflict.
    static var fifth: ChangeBatch {
        get throws {
            batch(
                1, 3,
                [
                    .setAttributes(
                        .root,
                        AttributeChanges(extended: [
                            ReservedAttribute.packageType("a"): [1], ReservedAttribute.packageType("txt"): nil,
                        ])),
                    .move(folder, parent: .documents, name: try ItemName("b.a")),
                    .setAttributes(
                        folder, AttributeChanges(extended: [ReservedAttribute.conflict: Array(repeating: 7, count: 17)])
                    ),
                ])
        }
    }

    /// Knows of a collection, has a key's number, and proposes, begins and ends a collection.
    static let sixth: ChangeBatch = {
        let list = ContentReference(digest: Digest(words: (7, 2, 3, 4)), size: 70_000, layout: .manifest)
        var sixth = batch(
            1, 3,
            [
                .collection(.proposed(epoch: 1, list: list)), .collection(.begun(epoch: 1)),
                .collection(.done(epoch: 1)), .edit(file, base: nil, content: content(3), modified: time),
            ])
        (sixth.collection, sixth.keyEpoch) = (300, 1)
        return sixth
    }()

    /// The tree of the first two batches.
    static let tree: DictionaryTree = {
        var tree = DictionaryTree()
        for (number, batch) in [try? first, second].enumerated() {
            guard let batch else { continue }
            _ = try? ContainerReducer().fold(batch, at: LogPosition(LogSequence(UInt64(number + 1)), nil), into: &tree)
        }
        return tree
    }()
}
