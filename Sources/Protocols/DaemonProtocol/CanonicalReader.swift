/// Reads messages in the canonical form in which this program writes them: sorted keys, no white space between tokens, no escapes. Messages
/// in any other form are left to the general parser, which accepts the same messages in every form.
struct CanonicalReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    /// A place past every end: nothing can be read there, and ``isAtEnd`` is false.
    private static let nowhere = Int.max

    /// - Parameter bytes: Must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    /// Skips exactly this text if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place <= bytes.count, bytes.count - place >= count else { return false }
        for index in 0..<count where bytes[place + index] != text.utf8Start[index] { return false }
        place += count
        return true
    }

    /// Reads a number without a sign, a fraction or leading zeros. After a failure nothing more can be read.
    mutating func number() -> UInt64? {
        guard let value = digits() else {
            place = Self.nowhere
            return nil
        }
        return value
    }

    private mutating func digits() -> UInt64? {
        let start = place
        var value: UInt64 = 0
        while place < bytes.count, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10 {
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isAbove) = shifted.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isAbove else { return nil }
            value = sum
            place += 1
        }
        let count = place - start
        guard count == 1 || count > 1 && bytes[start] != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// Reads the bytes of a quoted text without escapes, if they are UTF-8. After a failure nothing more can be read.
    mutating func text() -> UnsafeRawBufferPointer? {
        guard let text = plainText() else {
            place = Self.nowhere
            return nil
        }
        return text
    }

    private mutating func plainText() -> UnsafeRawBufferPointer? {
        guard skip("\"") else { return nil }
        let start = place
        var isPlain = true
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            guard bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\\") else { return nil }
            if bytes[place] >= 0x80 { isPlain = false }
            place += 1
        }
        let text = UnsafeRawBufferPointer(rebasing: bytes[start..<place])
        guard skip("\""), isPlain || String(validating: text, as: UTF8.self) != nil else { return nil }
        return text
    }
}

/// Writes messages as ``ControlFrame/payload(_:)`` does, byte for byte, as long as no text needs escapes.
struct CanonicalWriter {
    /// The frame so far, with space reserved for its header.
    private(set) var bytes: [UInt8]
    /// Whether a text needs escapes, so that the frame must not be sent.
    private(set) var isSpoiled = false

    /// Begins an envelope.
    init(id: UInt64) {
        bytes = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: [0, 0, 0, 0])
        put("{\"id\":")
        put(id)
    }

    /// Returns the complete frame; nil if the message cannot be written in the canonical form.
    consuming func frame() -> [UInt8]? {
        let length = bytes.count - ControlFrame.headerLength
        guard !isSpoiled, length <= ControlFrame.maximumLength else { return nil }
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
        return bytes
    }

    mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ number: UInt64) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Writes a list in brackets, separated by commas.
    mutating func put<Element>(list: [Element], _ put: (Element, inout CanonicalWriter) -> Void) {
        self.put("[")
        for (index, element) in list.enumerated() {
            if index > 0 { self.put(",") }
            put(element, &self)
        }
        self.put("]")
    }

    /// Writes a text in quotes.
    mutating func put(text: some Collection<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var isPlain = true
        for byte in text {
            // DEL is left to the encoder, whose form of it may differ.
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F {
                isSpoiled = true
            }
            if byte >= 0x80 { isPlain = false }
            bytes.append(byte)
        }
        if !isPlain, String(validating: text, as: UTF8.self) == nil { isSpoiled = true }
        bytes.append(UInt8(ascii: "\""))
    }
}
