import Basics
package import CloudModel
package import ContainerLog

/// Entries readable to every device but never written by a correct one: each number in them is the smallest or the
/// largest of its type.
package enum ExtremeBatches {
    private static let times = [
        Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .min + 1), .zero, Timestamp(nanoseconds: .max),
    ]
    private static let sizes: [UInt64] = [0, 1, UInt64(Int64.max)]

    /// - Parameters:
    ///   - content: A content whose chunk the cloud has; the entries refer to it with different sizes and layouts.
    ///   - withRefused: Whether entries also refer to it in ways refused by a server: as a list of chunks, although it
    ///     is none, or with a layout not matching its size.
    /// - Returns: A few entries in the order of the log.
    package static func all(naming content: ContentReference, withRefused: Bool = true) throws -> [ChangeBatch] {
        let contents = references(to: content).filter { withRefused || isAccepted($0) }
        let (first, items) = try creations(contents)
        let edits = (withRefused ? sizes : [1]).map {
            ContentReference(digest: content.digest, size: $0, layout: .chunk)
        }
        return [
            batch(DeviceID(0), 1, times[0], name: "", first),
            batch(
                DeviceID(.max), UInt64(Int64.max) - 1, times[3], name: String(repeating: "\u{1B}", count: 255),
                try Self.edits(items, edits)),
            batch(DeviceID(1), 1, times[0], name: "/", try Self.edits(items.reversed(), edits)),
        ]
    }

    private static func batch(
        _ device: DeviceID, _ number: UInt64, _ time: Timestamp, name: String, _ changes: [Change]
    ) -> ChangeBatch {
        ChangeBatch(device: device, deviceName: name, deviceSequence: number, time: time, changes: changes)
    }

    private static func references(to content: ContentReference) -> [ContentReference] {
        sizes.flatMap { size in
            (0...2).compactMap(ContentReference.Layout.init(rawValue:)).map {
                ContentReference(digest: content.digest, size: size, layout: $0)
            }
        }
    }

    private static func isAccepted(_ content: ContentReference) -> Bool {
        switch content.layout {
        case .empty: content.size == 0
        case .chunk: content.size == 1
        case .manifest: false
        }
    }

    private static func creations(_ contents: [ContentReference]) throws -> ([Change], items: [ItemID]) {
        var changes: [Change] = []
        var items: [ItemID] = []
        func add(_ name: String, in parent: ItemID = .documents, _ time: Timestamp, _ body: ItemBody) throws -> ItemID {
            let id = ItemID(high: UInt64.max, low: UInt64(changes.count))
            let attributes = ItemAttributes(
                permissions: .max, modified: time, created: time,
                extended: [
                    "": [], "user.ubiquity.evict": [49], "trusted.x": [1],
                    "user.long": Array(repeating: 7, count: 60_000),
                ])
            changes.append(.create(id, parent: parent, name: try ItemName(name), attributes: attributes, body: body))
            return id
        }
        for (index, time) in times.enumerated() {
            // The total size in a package, and in a folder, exceeds 64 bits.
            let package = try add("package \(index).key", time, .folder)
            let folder = try add("folder \(index)", in: package, time, .folder)
            _ = try add("link \(index)", time, .symlink(target: Array(repeating: 0x78, count: index == 0 ? 0 : 4095)))
            for size in sizes {
                items.append(try add("announced \(size)", in: package, time, .file(.announced(size: size))))
                for reference in contents where reference.size == size {
                    items.append(
                        try add("stored \(size) \(reference.layout)", in: folder, time, .file(.stored(reference))))
                }
            }
        }
        _ = try add(String(repeating: "n", count: 255), times[3], .folder)
        return (changes, items)
    }

    private static func edits(_ items: [ItemID], _ contents: [ContentReference]) throws -> [Change] {
        let longest = try ItemName(bytes: Array(repeating: 0xFF, count: 255))
        var changes: [Change] = []
        for (index, item) in items.enumerated() {
            let (time, reference) = (times[index % times.count], contents[index % contents.count])
            let last = VersionID(sequence: LogSequence(.max), index: .max)
            changes += [
                .edit(item, base: index % 2 == 0 ? nil : reference.digest, content: .stored(reference), modified: time),
                .setAttributes(
                    item, AttributeChanges(permissions: .max, modified: time, extended: ["user.y": [], "": nil])),
                .resolve(item, versions: [last]), .move(item, parent: item, name: longest),
                .setValue(key: "k\(index)", value: index % 2 == 0 ? [1] : nil, time: time),
            ]
        }
        return changes + [.raiseRules(.max), .delete(.root, base: nil), .delete(.documents, base: nil)]
    }
}
