/// A `Range` header field with a single range of bytes (RFC 9110, 14.1.2).
package enum ByteRange: Hashable, Sendable {
    /// From an offset to an inclusive end, or to the end of the bytes.
    case from(UInt64, to: UInt64?)
    /// The given number of bytes at the end.
    case last(UInt64)

    /// Returns nil for anything but a single range of bytes; a server may then ignore the field and send everything.
    package init?(_ text: String) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            text[..<equals].lowercased() == "bytes"
        else { return nil }
        let parts = text[text.index(after: equals)...].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (trimmed(parts[0]), trimmed(parts[1]))
        switch (first.isEmpty, last.isEmpty) {
        case (true, true): return nil
        case (true, false):
            guard let count = number(last) else { return nil }
            self = .last(count)
        case (false, true):
            guard let start = number(first) else { return nil }
            self = .from(start, to: nil)
        case (false, false):
            guard let start = number(first), let end = number(last), start <= end else { return nil }
            self = .from(start, to: end)
        }
    }

    /// Returns the range in a content of `size` bytes; nil if it is empty (status 416).
    package func resolved(in size: UInt64) -> Range<UInt64>? {
        switch self {
        case .from(let start, let end):
            guard start < size else { return nil }
            return start..<(end.map { min($0, size - 1) + 1 } ?? size)
        case .last(let count):
            guard count > 0, size > 0 else { return nil }
            return (size - min(count, size))..<size
        }
    }
}

private func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
}

/// Parses digits only: `UInt64.init` would accept a sign.
private func number(_ text: Substring) -> UInt64? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? UInt64(text) : nil
}
