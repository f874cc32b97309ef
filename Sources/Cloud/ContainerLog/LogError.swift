package import CloudModel

/// Why an entry of a log was not folded, decoded or encoded. A throwing call has changed nothing.
package enum LogError: Error, Hashable, CustomStringConvertible {
    /// The entry does not follow the last folded one: read the log again from there.
    case gap(expected: LogSequence, found: LogSequence)
    /// The log's rules are unknown to this release: update it.
    case rulesTooNew(needed: UInt16, known: UInt16)
    /// The entry's format is unknown to this release: update it.
    case tooNew(format: UInt8, known: UInt8)
    /// The bytes are not an entry. If the cloud guarantees them, all devices skip the entry (``ContainerReducer/foldVoid(at:into:)``).
    case damaged(String)
    /// The batch exceeds a limit of the format: split it, or refuse its source.
    case tooLarge(String)

    /// Whether a newer version of this program can continue.
    package var needsUpdate: Bool {
        switch self {
        case .rulesTooNew, .tooNew: true
        case .gap, .damaged, .tooLarge: false
        }
    }

    package var description: String {
        switch self {
        case .gap(let expected, let found):
            "log entry \(found) arrived instead of \(expected); read the log again from \(expected)"
        case .rulesTooNew(let needed, let known):
            "This container needs a newer version of ubiquity: its log uses rules \(needed), this program supports up to "
                + "\(known). Nothing was changed. Install a newer version to continue syncing it."
        case .tooNew(let format, let known):
            "This container needs a newer version of ubiquity: an entry of its log has format \(format), this program supports "
                + "up to \(known). Nothing was changed. Install a newer version to continue syncing it."
        case .damaged(let what): "a log entry cannot be read: \(what)"
        case .tooLarge(let what): "a batch of changes is too large for the log: \(what)"
        }
    }
}
