package import Basics
import Glibc

/// TCP within this machine, for servers that tests start and for clients that an HTTP library cannot simulate.
package enum Loopback {
    /// Returns a port that was free a moment ago.
    package static func freePort() throws(Errno) -> Int {
        let descriptor = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { close(descriptor) }
        var (address, length) = (address(port: 0), socklen_t(MemoryLayout<sockaddr_in>.size))
        try check("bind") {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
                }
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns a connection, which the caller has to close; `prepare` sets options of the socket before it connects.
    package static func connect(to port: Int, prepare: (Int32) -> Void = { _ in }) throws(Errno) -> Int32 {
        let descriptor = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        prepare(descriptor)
        var address = address(port: UInt16(port))
        do throws(Errno) {
            try check("connect") {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
