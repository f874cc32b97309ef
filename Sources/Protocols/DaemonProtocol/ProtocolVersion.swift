/// The version of the control protocol. A raised major number breaks old clients; a raised minor number adds to it.
package struct ProtocolVersion: Codable, Hashable, Sendable, CustomStringConvertible {
    package let major: UInt32
    package let minor: UInt32

    package init(major: UInt32, minor: UInt32) {
        self.major = major
        self.minor = minor
    }

    /// The version of this program.
    package static let current = ProtocolVersion(major: 1, minor: 10)

    /// Whether this side may talk to `peer`. Minor differences are fine: unknown fields are ignored, unknown verbs refused.
    package func understands(_ peer: ProtocolVersion) -> Bool { major == peer.major }

    package var description: String { "\(major).\(minor)" }
}
