/// Reads or changes the limits of a device's transfers. They survive a restart of the daemon.
package struct LimitsRequest: DaemonCall {
    package typealias Response = LimitsResponse
    package static let verb = "limits"

    /// Bytes a second; 0: no limit; nil: as before.
    package let up: UInt64?
    package let down: UInt64?

    package init(up: UInt64? = nil, down: UInt64? = nil) {
        self.up = up
        self.down = down
    }
}

/// The limits from now on, in bytes a second; nil: none.
package struct LimitsResponse: CallResponse {
    package static let kind = "limits"

    package let up: UInt64?
    package let down: UInt64?

    package init(up: UInt64? = nil, down: UInt64? = nil) {
        self.up = up
        self.down = down
    }
}
