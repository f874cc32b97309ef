/// A path below the folder that a history works in, as bytes: any but NUL.
struct Path: Hashable, Sendable {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    func appending(_ name: [UInt8]) -> Path {
        Path(bytes: bytes.isEmpty ? name : bytes + [UInt8(ascii: "/")] + name)
    }

    /// Calls `body` with the path below `root`, as system calls take it.
    func withPointer<R>(below root: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
        // An empty path has to reach the system call as an empty path.
        let whole = bytes.isEmpty ? [] : Array(root.utf8) + [UInt8(ascii: "/")] + bytes
        return (whole.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("an array with a NUL has an address") }
            return body(start)
        }
    }
}

extension Path: CustomStringConvertible {
    /// Short, and different for any two paths of one history.
    var description: String {
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        return text.utf8.count <= 60 ? text : "\"\(text.dropFirst().prefix(8))…\" of \(bytes.count) bytes"
    }
}
