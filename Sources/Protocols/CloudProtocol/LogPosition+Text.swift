import Basics
package import CloudModel

/// A position in a request: `12-DIGEST` with 64 hexadecimal digits, or `12` if the digest is unknown.
extension LogPosition {
    package init?(wireText text: some StringProtocol) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(first)
        else { return nil }
        guard parts.count == 2 else {
            self.init(LogSequence(number), nil)
            return
        }
        guard let bytes = Hex.decode(String(parts[1])), let digest = Digest(bytes) else { return nil }
        self.init(LogSequence(number), digest)
    }

    package var wireText: String { digest.map { "\(sequence)-\($0)" } ?? "\(sequence)" }
}
