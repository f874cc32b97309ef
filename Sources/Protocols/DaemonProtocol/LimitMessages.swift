/// Reads or changes the limits of a device's transfers and of its cache. They survive a restart of the daemon.
package struct LimitsRequest: DaemonCall {
    package typealias Response = LimitsResponse
    package static let verb = "limits"

    /// Bytes a second; 0: no limit; nil: as before.
    package let up: UInt64?
    package let down: UInt64?
    /// Nil: as before.
    package let onMetered: OnMetered?
    /// The upper bound for local bytes of documents; 0: none; nil: as before.
    package let cache: UInt64?

    package init(up: UInt64? = nil, down: UInt64? = nil, onMetered: OnMetered? = nil, cache: UInt64? = nil) {
        self.up = up
        self.down = down
        self.onMetered = onMetered
        self.cache = cache
    }
}

/// The behavior of transfers not awaited by a user while the network is metered.
package enum OnMetered: String, Codable, Sendable, CaseIterable {
    case wait
    case `continue`
}

/// The limits from now on, in bytes a second; nil: none.
package struct LimitsResponse: CallResponse {
    package static let kind = "limits"

    package let up: UInt64?
    package let down: UInt64?
    package let onMetered: OnMetered?
    /// The upper bound for local bytes of documents; nil: none.
    package let cache: UInt64?

    package init(up: UInt64? = nil, down: UInt64? = nil, onMetered: OnMetered? = nil, cache: UInt64? = nil) {
        self.up = up
        self.down = down
        self.onMetered = onMetered
        self.cache = cache
    }
}

/// Reports whether the network is metered. The report holds until the client's connection ends, so a crashing client
/// leaves no device waiting forever. The network is metered if any client reports it.
package struct ReportMeteredRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "reportMetered"

    package let isMetered: Bool
    package init(isMetered: Bool) { self.isMetered = isMetered }
}
