package import CloudModel

/// The file or object that names the clouds whose logs were copied into this one (`ubiquity cloud copy`), with how far each log was copied. It
/// is absent from most clouds, and releases that do not know it ignore it.
///
///     ubiquity former clouds
///     format 1
///     identity 4f0c5d7be8a3419690e2a0b1c7d3f586
///     log 1234 CloudDocs
package struct FormerCloudsFile: Equatable, Sendable {
    /// Enough for several thousand logs. A longer file is refused instead of cut, which would drop a cloud.
    package static let maximumSize = 1 << 20

    package private(set) var clouds: [String: [ContainerName: LogSequence]] = [:]

    package init() {}

    /// - Returns: Nil for bytes that are not such a file of format 1.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == "ubiquity former clouds", lines.popFirst() == "format 1", lines.popLast() == ""
        else { return nil }
        var identity: String?
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if words.count == 2, words[0] == "identity", Self.isIdentity(words[1]), clouds[String(words[1])] == nil {
                identity = String(words[1])
                clouds[String(words[1])] = [:]
            } else if words.count == 3, words[0] == "log", let number = UInt64(words[1]), "\(number)" == words[1],
                let name = ContainerName(String(words[2])), let identity, clouds[identity]?[name] == nil
            {
                clouds[identity]?[name] = LogSequence(number)
            } else {
                return nil
            }
        }
    }

    /// - Returns: False if the identity or the file's length is one that ``init(_:)`` would refuse; the value is then unchanged.
    package mutating func record(_ identity: String, ends: [ContainerName: LogSequence]) -> Bool {
        guard Self.isIdentity(identity) else { return false }
        let before = clouds
        clouds[identity] = ends
        if text.utf8.count <= Self.maximumSize { return true }
        clouds = before
        return false
    }

    package var text: String {
        var lines = ["ubiquity former clouds", "format 1"]
        for (identity, ends) in clouds.sorted(by: { $0.key < $1.key }) {
            lines.append("identity \(identity)")
            lines += ends.sorted { $0.key < $1.key }.map { "log \($0.value.value) \($0.key)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether a cloud of any kind may have this identity: printable ASCII without spaces.
    private static func isIdentity(_ text: some StringProtocol) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
