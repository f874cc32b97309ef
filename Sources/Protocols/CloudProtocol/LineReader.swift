/// Splits a stream of bytes into lines. A line beyond the limit is an error, so memory use is bounded.
package struct LineReader: Sendable {
    package struct TooLong: Error, Hashable {}

    private var pending: [UInt8] = []
    private let limit: Int

    package init(limit: Int = CloudLimits.changeFeedLine) { self.limit = limit }

    /// Appends bytes and returns the newly completed lines, without their terminators.
    package mutating func append(_ bytes: some Collection<UInt8>) throws(TooLong) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 {
                lines.append(pending)
                pending = []
            }
            guard pending.count + part.element.count <= limit else { throw TooLong() }
            pending.append(contentsOf: part.element)
        }
        return lines
    }
}
