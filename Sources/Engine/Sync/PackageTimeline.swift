package import Basics
package import CloudModel

/// A current or former content of a file or symbolic link in a package, as kept by the folded log and the file
/// histories.
package struct PackageContent: Hashable, Sendable {
    package enum Body: Hashable, Sendable {
        case file(ContentReference)
        case symlink(target: [UInt8])
    }

    /// The names below the package. The log keeps no former names, so this is the current path.
    package let path: [ItemName]
    package let item: ItemID
    package let body: Body
    package let permissions: UInt16
    /// The version that set the content.
    package let version: VersionID
    package let modified: Timestamp
    package let device: String
    /// When this device folded the entry that replaced or deleted the content; nil for a current content of the log.
    package let ended: Timestamp?
    /// The device that deleted it, if known.
    package let endedBy: String?

    package init(
        path: [ItemName], item: ItemID, body: Body, permissions: UInt16, version: VersionID, modified: Timestamp,
        device: String, ended: Timestamp? = nil, endedBy: String? = nil
    ) {
        self.path = path
        self.item = item
        self.body = body
        self.permissions = permissions
        self.version = version
        self.modified = modified
        self.device = device
        self.ended = ended
        self.endedBy = endedBy
    }

    package var size: UInt64 { if case .file(let content) = body { content.size } else { 0 } }
}

/// A former state of a whole package.
package struct PackageState: Sendable {
    /// The entry that created the state; the index counts later entries that only removed files, because the log keeps
    /// no positions for them.
    package let version: VersionID
    package let device: String
    package let modified: Timestamp
    /// When it was replaced.
    package let superseded: Timestamp
    /// The contents ordered by path, each path once.
    package let contents: [PackageContent]

    package var size: UInt64 { contents.reduce(0) { $0.addingReportingOverflow($1.size).partialValue } }
}

/// The states of a package, derived from the contents of its files. Pure.
///
/// A content begins at a position of the log and ends at a time of this device's clock. The two orders are joined where
/// one content replaces another: the old content's end is the time of the new content's entry. An entry that only added
/// files has no such time, and an entry that only removed files has no position. Where both kinds follow each other
/// without an entry of known time between them, their order is unknown, and the states between them are left out. A
/// state is also left out if a content is missing, because its version was removed from the history, or if a file was
/// in conflict.
package struct PackageTimeline {
    private struct Event {
        let version: VersionID
        let time: Timestamp
        /// Set for an entry that only removed files.
        let removal: EntryOrder.Removal?
        let isTimeKnown: Bool
    }

    private struct Span {
        let content: PackageContent
        let begin: Int
        let end: Int
        /// Whether a different content of the file began earlier and ended later, so that it is unknown which of the
        /// two was shown.
        let isDoubtful: Bool
    }

    private var events: [Event] = []
    private var spans: [Span] = []

    package init(_ contents: [PackageContent]) {
        let paths = Dictionary(grouping: contents, by: \.path).values.map { $0.sorted { $0.version < $1.version } }
        let order = EntryOrder(paths)
        append(order)
        place(paths, order)
    }

    /// Returns the states before the current one, the newest first.
    ///
    /// - Parameters:
    ///   - oldest: States superseded earlier may lack contents, and are left out.
    ///   - limit: The maximum number of states.
    package func states(since oldest: Timestamp, limit: Int) -> [PackageState] {
        guard let last = events.indices.last else { return [] }
        var states: [PackageState] = []
        let present = contents(after: last) ?? []
        var newer = present
        let isCertain = certainty()
        for index in events.indices.dropLast().suffix(Self.looks).reversed() {
            guard events[index + 1].time >= oldest, states.count < limit else { break }
            guard isCertain[index], let contents = contents(after: index), !contents.isEmpty else { continue }
            if Self.isEqual(contents, newer) || Self.isEqual(contents, present) { continue }
            newer = contents
            states.append(state(contents, after: index))
        }
        return states
    }

    /// The maximum number of entries to examine.
    private static let looks = 1_000

    // MARK: Order

    private mutating func append(_ order: EntryOrder) {
        var waiting = order.removals.sorted { $0.time < $1.time }[...]
        for (index, sequence) in order.sequences.enumerated() {
            while let removal = waiting.first, order.isBefore(removal, index) {
                append(removal)
                waiting.removeFirst()
            }
            let last = events.last?.time ?? Timestamp(nanoseconds: .min)
            let isTimeKnown = order.known[sequence] != nil
            events.append(
                Event(
                    version: VersionID(sequence: sequence, index: 0),
                    time: isTimeKnown ? order.estimate(index) : max(last, order.estimate(index)), removal: nil,
                    isTimeKnown: isTimeKnown))
        }
        for removal in waiting { append(removal) }
    }

    private mutating func append(_ removal: EntryOrder.Removal) {
        let last = events.last?.version ?? VersionID(sequence: .zero, index: 0)
        let version = VersionID(sequence: last.sequence, index: last.index + 1)
        events.append(
            Event(version: version, time: removal.time, removal: removal, isTimeKnown: false))
    }

    private mutating func place(_ paths: [[PackageContent]], _ order: EntryOrder) {
        var entries: [LogSequence: Int] = [:]
        var removals: [Timestamp: Int] = [:]
        for (index, event) in events.enumerated() {
            if event.removal == nil { entries[event.version.sequence] = index } else { removals[event.time] = index }
        }
        for contents in paths {
            var longest: [ItemID: Timestamp] = [:]
            for (position, content) in contents.enumerated() {
                guard let begin = entries[content.version.sequence] else { continue }
                var end = Int.max
                if let ended = content.ended {
                    let next = order.successor(of: content, ended).flatMap { entries[$0] }
                    end = max(begin + 1, next ?? removals[ended] ?? begin + 1)
                }
                let ended = content.ended ?? Timestamp(nanoseconds: .max)
                let isDoubtful = longest[content.item].map { $0 > ended } ?? false
                if isDoubtful {
                    let next = contents[(position + 1)...].first { $0.item == content.item }
                    end = max(end, next.flatMap { entries[$0.version.sequence] } ?? end)
                } else {
                    longest[content.item] = ended
                }
                spans.append(Span(content: content, begin: begin, end: end, isDoubtful: isDoubtful))
            }
        }
    }

    // MARK: States

    /// Returns for each event whether the events before and after it are known, and with them the state after it.
    private func certainty() -> [Bool] {
        var isCertain = Array(repeating: true, count: events.count)
        // Between two entries of known time, those that set contents are listed first, in their order, then the
        // removals.
        for run in events.indices.split(whereSeparator: { events[$0].isTimeKnown }) {
            let last = run.last { events[$0].removal == nil }.map { events[$0].version.sequence }
            var earliest = LogSequence(.max)
            for index in run.reversed() {
                let newest = events[index].removal == nil ? events[index].version.sequence : last ?? .zero
                // A removal listed later may have been before this entry.
                isCertain[index] = newest <= earliest
                if let removal = events[index].removal { earliest = min(earliest, removal.after) }
            }
        }
        return isCertain
    }

    /// Returns the contents after an event; nil if the content of a file is not known.
    private func contents(after index: Int) -> [PackageContent]? {
        var shown: [[ItemName]: Span] = [:]
        var (earlier, present, missing): (Set<ItemID>, Set<ItemID>, Set<ItemID>) = ([], [], [])
        for span in spans {
            let id = span.content.item
            if span.begin > index {
                if earlier.contains(id) { missing.insert(id) }
            } else if span.end > index {
                guard !span.isDoubtful else { return nil }
                present.insert(id)
                if let other = shown[span.content.path], (other.end, other.begin) > (span.end, span.begin) { continue }
                shown[span.content.path] = span
            } else {
                earlier.insert(id)
            }
        }
        guard missing.isSubset(of: present) else { return nil }
        return shown.values.map(\.content).sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }

    private static func isEqual(_ one: [PackageContent], _ other: [PackageContent]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0.path == $1.path && $0.body == $1.body }
    }

    private func state(_ contents: [PackageContent], after index: Int) -> PackageState {
        let event = events[index]
        let begun = spans.filter { $0.begin == index }.map(\.content)
        let newest = begun.max { ($0.modified, $0.version) < ($1.modified, $1.version) }
        return PackageState(
            version: event.version, device: event.removal?.device ?? newest?.device ?? "",
            modified: newest?.modified ?? event.time, superseded: events[index + 1].time, contents: contents)
    }
}
