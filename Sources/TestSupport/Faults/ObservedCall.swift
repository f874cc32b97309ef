import CFaults
import Glibc

/// An imminent system call.
package struct ObservedCall: Sendable, CustomStringConvertible {
    package let call: SystemCall
    /// The call's target: an absolute path, or the kernel's name of a socket or a pipe. Empty if it is unknown.
    package let target: String

    package init(_ call: SystemCall, _ target: String) {
        self.call = call
        self.target = target
    }

    package var description: String { "\(call.rawValue) \(target)" }

    /// Reads the arguments from the memory of the process waiting in the call.
    init?(_ notification: seccomp_notif) {
        guard let call = SystemCall(number: notification.data.nr) else { return nil }
        let arguments = notification.data.args
        let process = "/proc/\(notification.pid)"
        switch call.pathArgument {
        case nil: self.init(call, Self.link("\(process)/fd/\(Int32(truncatingIfNeeded: arguments.0))"))
        case 0: self.init(call, Self.text(process, at: arguments.0))
        default:
            // utimensat(2) of a descriptor has no path, so the descriptor itself is meant.
            let path = arguments.1 == 0 ? "" : Self.text(process, at: arguments.1)
            let folder = Self.link("\(process)/fd/\(Int32(truncatingIfNeeded: arguments.0))")
            self.init(call, path.hasPrefix("/") ? path : path.isEmpty ? folder : "\(folder)/\(path)")
        }
    }

    private static func link(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }

    /// Returns a string in the memory of the process.
    private static func text(_ process: String, at address: UInt64) -> String {
        let memory = open("\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return "" }
        defer { close(memory) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The read is short if the following memory is not mapped.
        let count = pread(memory, &buffer, buffer.count, off_t(truncatingIfNeeded: address))
        return count > 0 ? String(decoding: buffer[..<count].prefix { $0 != 0 }, as: UTF8.self) : ""
    }
}
