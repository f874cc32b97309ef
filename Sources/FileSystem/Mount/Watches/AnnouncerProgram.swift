import Basics
import Glibc

/// `ubiquityd announce`: makes system calls on the mount, so that the kernel sends inotify(7) events for changes from elsewhere.
///
/// It is a process of its own, because such a call can wait for a lock of the kernel that a program holds while that program waits for the
/// daemon. A thread of the daemon that waits there could not be killed, and would keep the connection to the kernel open, for which other
/// programs wait. It changes nothing by itself: the mount does not perform the requests of this process.
package enum AnnouncerProgram {
    package static let name = "announce"

    package static func isMeant(by arguments: [String]) -> Bool { arguments.first == name }

    /// Performs the calls that arrive at the standard input, a socket, and sends the error number of each back. Returns when the daemon
    /// closes its end.
    ///
    /// - Parameter arguments: `announce`, the mount point, and the mount's device number.
    package static func run(_ arguments: [String]) {
        guard arguments.count == 3, let device = DeviceNumber(arguments[2]) else { return }
        let caller = AnnouncerCaller(mountPoint: arguments[1], device: device)
        var message = [UInt8](repeating: 0, count: AnnouncerCall.maximumLength)
        while true {
            let count = recv(STDIN_FILENO, &message, message.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var code: Int32 = EBADMSG
            if let call = AnnouncerCall(decoding: Array(message[..<count])) { code = caller.perform(call) }
            guard send(STDIN_FILENO, &code, MemoryLayout<Int32>.size, Int32(MSG_NOSIGNAL)) > 0 else { return }
        }
    }
}
