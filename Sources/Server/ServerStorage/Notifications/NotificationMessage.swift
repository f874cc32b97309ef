import Basics
import CloudModel

/// A notification from a process of a cluster to the rest: the logs that have grown.
///
/// It is text, because `NOTIFY` takes text, of fewer than 8,000 bytes. The first line has the version and the sender,
/// followed by a line for each log:
///
///     1 0123456789abcdef
///     42 1007 CloudDocs
///
/// A single `*` in place of the logs means that too much has changed to name it. An undecodable message, such as a
/// later version's, means the same: the receiver reads the database. So processes of different versions can run side by
/// side.
struct NotificationMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case ends([LogEnd])
        /// The receiver has to read the database.
        case everything
    }

    /// PostgreSQL's limit is 7,999 bytes in its default configuration (NOTIFY, section "Notes").
    static let maximumBytes = 7_900
    private static let version = "1"

    /// The sending process. It ignores its own messages. Zero if that is not known.
    let sender: UInt64
    let content: Content

    init(sender: UInt64, content: Content) {
        self.sender = sender
        self.content = content
    }

    /// Decodes a payload.
    init(decoding payload: String) {
        guard payload.utf8.count <= Self.maximumBytes, let (sender, lines) = Self.head(of: payload) else {
            self.init(sender: 0, content: .everything)
            return
        }
        let ends = lines.map(Self.end)
        // A single unknown line makes the whole message incomplete.
        self.init(
            sender: sender, content: ends.contains(nil) ? .everything : .ends(ends.compactMap(\.self)))
    }

    private static func head(of payload: String) -> (UInt64, ArraySlice<Substring>)? {
        let lines = payload.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == version, words[1].utf8.count == 16,
            let sender = UInt64(words[1], radix: 16)
        else { return nil }
        return (sender, lines.dropFirst())
    }

    private static func end(_ line: Substring) -> LogEnd? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let account = Int64(words[0]), let sequence = UInt64(words[1]),
            let container = ContainerName(String(words[2]))
        else { return nil }
        return LogEnd(account: AccountID(account), container: container, sequence: sequence)
    }

    /// Returns payloads that together list these logs as grown, each within PostgreSQL's limit.
    static func payloads(_ content: Content, from sender: UInt64) -> [String] {
        let digits = String(sender, radix: 16)
        let head = "\(version) \(String(repeating: "0", count: 16 - digits.count))\(digits)"
        guard case .ends(let ends) = content else { return ["\(head)\n*"] }
        var payloads: [String] = []
        for end in ends {
            let line = "\n\(end.account.value) \(end.sequence) \(end.container)"
            if let last = payloads.last, last.utf8.count + line.utf8.count <= maximumBytes {
                payloads[payloads.count - 1] += line
            } else {
                payloads.append(head + line)
            }
        }
        return payloads
    }
}
