package import Basics
import Glibc

/// Ports for servers that tests start.
package enum FreePort {
    /// One of this machine's loopback that was free a moment ago.
    package static func find() throws(Errno) -> Int {
        let descriptor = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try check("bind") {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
                }
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
