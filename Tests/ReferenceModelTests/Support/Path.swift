/// A path relative to a history's folder, as bytes: any except NUL.
struct Path: Hashable, Sendable {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    func appending(_ name: [UInt8]) -> Path {
        Path(bytes: bytes.isEmpty ? name : bytes + [UInt8(ascii: "/")] + name)
    }

    /// The folder of the last name; nil for the history's folder.
    var folder: Path? { bytes.lastIndex(of: UInt8(ascii: "/")).map { Path(bytes: Array(bytes[..<$0])) } }

    /// Calls `body` with the path below `root` as a C string.
    func withPointer<R>(below root: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
        // An empty path must reach the system call as an empty path.
        let whole = bytes.isEmpty ? [] : Array(root.utf8) + [UInt8(ascii: "/")] + bytes
        return (whole.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("an array with a NUL has an address") }
            return body(start)
        }
    }
}

extension Path: CustomStringConvertible {
    /// A short text, unique per path within a history.
    var description: String {
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        return text.utf8.count <= 60 ? text : "\"\(text.dropFirst().prefix(8))…\" of \(bytes.count) bytes"
    }
}
