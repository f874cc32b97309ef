import CloudModel
import DaemonProtocol
import Glibc

/// The output of `find` for its results.
struct FoundOutput {
    private let sort: FindCommand.SortKey?
    private let isReversed: Bool
    private let isLive: Bool
    private let isJSON: Bool
    private let paths: PathPrinter
    /// Results waiting to be sorted, or for the end of a JSON document.
    private var gathered: [FoundItem] = []
    /// The last paths of items, for reporting disappeared items; only a live query keeps them.
    private var known: [UInt64: MountPath] = [:]

    private struct Document: Encodable {
        let format: Int
        let items: [FoundItem]
    }

    init(
        record: MountRecord, sort: FindCommand.SortKey?, isReversed: Bool, isLive: Bool, isJSON: Bool,
        endsWithNull: Bool
    ) {
        self.sort = sort
        self.isReversed = isReversed
        self.isLive = isLive
        self.isJSON = isJSON
        paths = PathPrinter(record: record, endsWithNull: endsWithNull)
    }

    mutating func show(_ found: FoundItems) throws(CommandFailure) {
        if isLive { for item in found.added + found.changed { known[item.item] = item.path } }
        guard found.phase != .update else { return try update(found) }
        if sort != nil || isJSON && !isLive {
            gathered += found.added
            if found.phase == .gathered, isLive { try flushGathered() }
        } else {
            try update(found)
        }
    }

    mutating func end() throws {
        guard !isLive else { return }
        if isJSON {
            print(try StatusJSON.text(Document(format: StatusJSON.format, items: sorted(gathered))))
        } else {
            try flushGathered()
        }
    }

    private mutating func flushGathered() throws(CommandFailure) {
        let items = sorted(gathered)
        gathered = []
        try update(FoundItems(phase: .gathered, added: items))
    }

    private mutating func update(_ found: FoundItems) throws(CommandFailure) {
        if isJSON {
            print(try Self.line(found))
        } else {
            for item in found.added { paths.print(item.path, after: isLive ? "+ " : "") }
            for item in found.changed { paths.print(item.path, after: "~ ") }
            for number in found.removed {
                if let path = known.removeValue(forKey: number) { paths.print(path, after: "- ") }
            }
        }
        fflush(nil)
    }

    /// Returns an event as a line of JSON.
    static func line(_ value: some Encodable) throws(CommandFailure) -> String {
        do { return String(decoding: try ControlFrame.payload(value), as: UTF8.self) } catch {
            throw CommandFailure(.failed, "an event cannot be written as JSON (\(error))")
        }
    }

    private func sorted(_ items: [FoundItem]) -> [FoundItem] {
        guard let sort else { return items }
        let sorted = items.sorted { left, right in
            switch sort {
            case .name: Self.name(left).lexicographicallyPrecedes(Self.name(right))
            case .path: left.path.bytes.lexicographicallyPrecedes(right.path.bytes)
            case .size: left.size < right.size
            case .modified: left.modified.timestamp < right.modified.timestamp
            case .created: left.created.timestamp < right.created.timestamp
            }
        }
        return isReversed ? sorted.reversed() : sorted
    }

    private static func name(_ item: FoundItem) -> ArraySlice<UInt8> { item.path.components.last ?? [] }
}
