import Glibc

/// A request's name (or link target), as raw bytes in the request's own memory: valid while the handler runs, so it can
/// be borrowed but not kept.
package struct FuseName: ~Copyable {
    /// The bytes, without the trailing NUL. Not to be used after the handler returns.
    package let bytes: UnsafeBufferPointer<UInt8>

    init(_ text: UnsafePointer<CChar>?) {
        // libfuse passes a name with every request that has one; if it ever does not, the name is empty.
        guard let text else {
            bytes = UnsafeBufferPointer(start: nil, count: 0)
            return
        }
        let raw = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        bytes = UnsafeBufferPointer(start: raw, count: strlen(text))
    }

    /// The name as text; nil if it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// A separate copy of the bytes.
    package var copy: [UInt8] { Array(bytes) }
}
