/// Requests the items matching a predicate: events of ``FoundItems``, gathered first; then, for a live query, the
/// changes.
package struct FindRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "find"
    package var admission: CallAdmission { .lasting }

    /// The predicate in the language of docs/QUERIES.md.
    package let predicate: String
    /// The scopes to search; nil for all.
    package let scopes: [FindScope]?
    /// Names of containers; nil for all.
    package let containers: [String]?
    package let live: Bool?
    /// The number of seconds for gathering changes; 0.25 if nil.
    package let interval: Double?
    /// Whether a text without operators that is not a predicate is taken as words to search for in names.
    package let acceptsWords: Bool?

    package init(
        predicate: String, scopes: [FindScope]? = nil, containers: [String]? = nil, live: Bool? = nil,
        interval: Double? = nil, acceptsWords: Bool? = nil
    ) {
        self.predicate = predicate
        self.scopes = scopes
        self.containers = containers
        self.live = live
        self.interval = interval
        self.acceptsWords = acceptsWords
    }
}

/// The parts of containers to search: `Documents/`, the rest, or both; or documents outside of containers, of which a
/// mount has none.
package enum FindScope: String, Codable, Hashable, Sendable, CaseIterable {
    case documents, data, all, external
}

/// Items of a query, as many as fit into a frame. An item is reported once as added, then as changed or removed.
package struct FoundItems: Codable, Hashable, Sendable {
    package enum Phase: String, Codable, Hashable, Sendable {
        case gathering
        /// All items have been sent; changes follow.
        case gathered
        case update
    }

    package let phase: Phase
    package var added: [FoundItem]
    package var changed: [FoundItem]
    /// Numbers of items.
    package var removed: [UInt64]

    package init(
        phase: Phase, added: [FoundItem] = [], changed: [FoundItem] = [], removed: [UInt64] = []
    ) {
        self.phase = phase
        self.added = added
        self.changed = changed
        self.removed = removed
    }

    package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}
