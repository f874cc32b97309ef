/// The status and the headers of a response, read line by line.
struct ResponseHead: Sendable {
    /// The limit for all lines of a head together, in bytes.
    static let limit = 256 << 10

    private(set) var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private var size = 0

    init(status: Int = 0, headers: [(String, String)] = []) {
        self.status = status
        self.headers = headers.map { (name: $0.0, value: $0.1) }
    }

    /// Returns the value of the first header of that name, ignoring case.
    func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    enum Line { case more, end, tooLong }

    /// Reads the next line. A line starting with `HTTP/` begins a new head: informational responses precede the final
    /// one.
    mutating func read(_ line: UnsafeRawBufferPointer, status code: Int) -> Line {
        size += line.count
        guard size <= Self.limit else { return .tooLong }
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.isEmpty {
            status = code
            return code >= 200 ? .end : .more
        }
        if text.starts(with: Array("HTTP/".utf8)) {
            headers = []
            return .more
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return .more }
        headers.append((Self.text(text[..<colon]), Self.text(text[(colon + 1)...])))
        return .more
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
