/// The version of the protocol between devices and servers. Both send theirs in ``header`` with every message.
package enum CloudProtocolVersion {
    /// Raised when the other side could misunderstand a message. Additions that can be ignored do not raise it.
    package static let current = 1
    /// The header field of requests and responses with the version.
    package static let header = "Ubiquity-Protocol"
    /// The header field of a request with the identity of the cloud that it is meant for, since an account's cloud may have been replaced.
    package static let cloudHeader = "Ubiquity-Cloud"

    /// The relation of another side's version to ours.
    package enum Relation: Hashable, Sendable {
        case same
        /// The other side is older than this program.
        case older
        case newer
        /// The field is missing or not a number: the other side does not speak this protocol.
        case foreign
    }

    package static func relation(of text: String?) -> Relation {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text), number > 0
        else { return .foreign }
        return number == current ? .same : number < current ? .older : .newer
    }
}
