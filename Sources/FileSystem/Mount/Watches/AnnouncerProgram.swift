import Basics
import Glibc

/// `ubiquityd announce`: performs system calls on the mount, so the kernel sends inotify(7) events for remote changes.
///
/// It is a separate process, because such a call can wait for a kernel lock held by a program that waits for the
/// daemon. A daemon thread waiting there could not be killed, and would keep the connection to the kernel open, with
/// other programs waiting for it. It changes nothing: the mount does not perform the requests of this process.
package enum AnnouncerProgram {
    package static let name = "announce"

    package static func isMeant(by arguments: [String]) -> Bool { arguments.first == name }

    /// Performs the calls arriving at the standard input, a socket, and sends each call's error number back. Returns
    /// when the daemon closes its end.
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
