import Glibc

/// An error number of the C library, with the call that reported it.
package struct Errno: Error, Hashable, CustomStringConvertible {
    package let code: Int32
    package let call: String

    package init(_ code: Int32, _ call: String = "") {
        self.code = code
        self.call = call
    }

    package static func == (left: Errno, right: Errno) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// Whether a disk, or the user's quota on it, is full. An error without a call is a limit of this program.
    package var isOfFullDisk: Bool { !call.isEmpty && (code == ENOSPC || code == EDQUOT) }

    package var description: String {
        let text = String(cString: strerror(code))
        return call.isEmpty ? text : "\(call): \(text)"
    }
}

/// Runs a call that returns -1 and sets `errno` on failure, and repeats it while a signal interrupts it (`EINTR`).
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
