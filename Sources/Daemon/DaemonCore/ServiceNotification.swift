import Basics
import Glibc

/// Notifies a service manager of how the start goes: a datagram to the socket named by NOTIFY_SOCKET (sd_notify(3)).
enum ServiceNotification {
    /// One assignment per line, such as `READY=1`. Does nothing where no manager listens.
    static func send(_ text: String) {
        guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), let address = address(name) else {
            return
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The path's bytes count, without the NUL: an abstract name is as long as it is said to be (unix(7)).
        let length = MemoryLayout<sa_family_t>.size + name.utf8.count
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                // A manager that does not listen is no reason to fail.
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
        // `@` stands for the NUL that begins an abstract name.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
