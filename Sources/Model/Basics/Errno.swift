import Glibc

/// An error number of the C library, with the call that gave it.
package struct Errno: Error, Hashable, CustomStringConvertible {
    package let code: Int32
    package let call: String

    package init(_ code: Int32, _ call: String = "") {
        self.code = code
        self.call = call
    }

    package static func == (left: Errno, right: Errno) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// Whether a call says that a disk, or its user's share of it, is full. An error without a call is our own limit.
    package var isOfFullDisk: Bool { !call.isEmpty && (code == ENOSPC || code == EDQUOT) }

    package var description: String {
        let text = String(cString: strerror(code))
        return call.isEmpty ? text : "\(call): \(text)"
    }
}

/// Runs a call that returns -1 and sets `errno` on failure, again while a signal interrupts it (`EINTR`).
///
/// - Throws: Any other error of the call.
@discardableResult
package func check<T: SignedInteger>(_ call: String, _ body: () -> T) throws(Errno) -> T {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw Errno(code, call) }
    }
}
