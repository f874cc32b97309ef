/// Asks for everything that happens in the mount, as events until the client leaves.
package struct MonitorRequest: Codable, Hashable, Sendable {
    package init() {}
}

/// Ends a request of this connection that lasts: it is then answered as done.
package struct UnfollowRequest: Codable, Hashable, Sendable {
    package let request: UInt64
    package init(request: UInt64) { self.request = request }
}

/// One thing that happened. Of a client that reads slowly the oldest are dropped, and it is told how many.
package struct Happening: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        case created, moved, removed
        /// Its content or metadata.
        case changed
        /// How far its sync is: whether its bytes are here, or in the cloud, or in conflict.
        case status
        /// What the cloud is to this device: `detail` says it.
        case cloud
        /// So many happenings were left out, as they were not read in time: `count`.
        case missed

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .status
        }
    }

    package let kind: Kind
    package let time: WireTime
    package var path: MountPath?
    /// Where it was before it moved.
    package var from: MountPath?
    /// As it is now.
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
