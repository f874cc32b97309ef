/// Requests events about all activity in the mount, until the client disconnects.
package struct MonitorRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "monitor"
    package var admission: CallAdmission { .lasting }

    package init() {}
}

/// Ends this connection's request for events; the response to that request is then `done`.
package struct UnfollowRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "unfollow"
    package var admission: CallAdmission { .brief }

    package let request: UInt64
    package init(request: UInt64) { self.request = request }
}

/// An event in the mount. If a client reads slowly, the oldest events are dropped, and their number is sent.
package struct Happening: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        case created, moved, removed
        /// The content or metadata changed.
        case changed
        /// The sync status changed: whether the bytes are local, in the cloud, or in conflict.
        case status
        /// The state of the connection to the cloud changed; `detail` has it.
        case cloud
        /// Events dropped because they were not read in time; `count` is their number.
        case missed

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .status
        }
    }

    package let kind: Kind
    package let time: WireTime
    package var path: MountPath?
    /// The path before a move.
    package var from: MountPath?
    /// The item's current state.
    package var item: FoundItem?
    package var detail: String?
    package var count: UInt64?

    package init(_ kind: Kind, _ time: WireTime, path: MountPath? = nil, from: MountPath? = nil) {
        self.kind = kind
        self.time = time
        self.path = path
        self.from = from
    }
}
