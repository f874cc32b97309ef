/// The version of the protocol between devices and servers. Both send theirs in ``header`` with every message.
package enum CloudProtocolVersion {
    /// Raised when a peer could misunderstand a message. Ignorable additions do not raise it.
    package static let current = 1
    /// The header field of requests and responses with the version.
    package static let header = "Ubiquity-Protocol"
    /// The header field of a request with the identity of its intended cloud, since an account's cloud may have been
    /// replaced.
    package static let cloudHeader = "Ubiquity-Cloud"

    /// The relation of the peer's version to the local version.
    package enum Relation: Hashable, Sendable {
        case same
        /// The remote side is older than this program.
        case older
        case newer
        /// The field is missing or not a number: the remote side does not speak this protocol.
        case foreign
    }

    package static func relation(of text: String?) -> Relation {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text), number > 0
        else { return .foreign }
        return number == current ? .same : number < current ? .older : .newer
    }
}
