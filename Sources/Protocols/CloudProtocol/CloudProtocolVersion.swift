/// The version of what devices and servers say to each other. Both send theirs in ``header`` with every message.
package enum CloudProtocolVersion {
    /// Raised when the other side could misunderstand. Additions that can be ignored do not raise it.
    package static let current = 1
    /// The field of requests and responses that carries it.
    package static let header = "Ubiquity-Protocol"
    /// The field of a request that names the cloud it is meant for, by its identity: an account's cloud may have been replaced.
    package static let cloudHeader = "Ubiquity-Cloud"

    /// How another side's version relates to ours.
    package enum Relation: Hashable, Sendable {
        case same
        /// The other side is older than this program.
        case older
        case newer
        /// No number, or none at all: the other side does not speak this protocol.
        case foreign
    }

    package static func relation(of text: String?) -> Relation {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text), number > 0
        else { return .foreign }
        return number == current ? .same : number < current ? .older : .newer
    }
}
