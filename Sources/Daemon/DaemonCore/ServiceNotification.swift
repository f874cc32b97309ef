import Basics
import Glibc

/// Notifies a service manager of the start's progress: a datagram to the socket named by NOTIFY_SOCKET (sd_notify(3)).
enum ServiceNotification {
    /// Sends one assignment per line, such as `READY=1`. Does nothing if there is no manager.
    static func send(_ text: String) {
        guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), let address = address(name) else {
            return
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The length covers the path's bytes without the NUL, since an abstract name has exactly the given length (unix(7)).
        let length = MemoryLayout<sa_family_t>.size + name.utf8.count
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                // Best effort: a manager not listening is no error.
                _ = text.withCString {
                    sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL), generic, socklen_t(length))
                }
            }
        }
    }

    private static func address(_ name: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        // `@` is written for the leading NUL of an abstract name.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
