/// A position in a container's log: an entry's number, and a digest of it and all entries before it.
///
/// Two logs that agree on a position have the same entries up to there, so a device recognises a cloud reset to an
/// earlier state or a log with a diverged history, however long that log has grown since.
package struct LogPosition: Hashable, Sendable, CustomStringConvertible {
    package let sequence: LogSequence
    /// The digest of all entries up to this one; nil if unknown. A position without a digest is in every log of that
    /// length.
    package let digest: Digest?

    package init(_ sequence: LogSequence, _ digest: Digest?) {
        self.sequence = sequence
        self.digest = digest
    }

    /// Before the first entry. Every log has this position.
    package static let start = LogPosition(.zero, Digest.zero)

    package var description: String { digest.map { "\(sequence) (\($0.description.prefix(12)))" } ?? "\(sequence)" }
}
