package import Basics
package import CloudModel

/// A state of a device that has used its token (``RequestSender``).
package struct DeviceSender: Hashable, Sendable {
    package let id: DeviceID
    package let name: String
    /// The address of its last request.
    package let address: String
    package let first: Timestamp
    /// To the minute.
    package let last: Timestamp

    /// How long two senders have to share a token until they count as two. When a device takes a new id, its use of the
    /// earlier id ends at that moment.
    private static let overlap = Duration.seconds(60)
    /// How long a sender counts after its last request, compared with the newest request of the token.
    private static let memory = Duration.seconds(86_400)

    /// Returns a token's senders with overlapping use; none if there is only one, or if they took turns.
    package static func sharing(_ senders: [DeviceSender]) -> [DeviceSender] {
        guard let newest = senders.map(\.last).max() else { return [] }
        let current = senders.filter { $0.last.adding(memory) >= newest }
        return current.filter { sender in current.contains { $0.id != sender.id && $0.isBeside(sender) } }
    }

    /// Returns the senders to show below a device of this name: those with overlapping use of its token, or the newest
    /// if it has a different name, as a mount with `--device` has.
    package static func shown(_ senders: [DeviceSender], below name: String) -> [DeviceSender] {
        let sharing = sharing(senders)
        guard sharing.isEmpty, let newest = senders.max(by: { $0.last < $1.last }), newest.name != name else {
            return sharing
        }
        return [newest]
    }

    private func isBeside(_ other: DeviceSender) -> Bool {
        min(last, other.last) >= max(first, other.first).adding(Self.overlap)
    }
}
