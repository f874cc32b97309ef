package import Basics
import Glibc
import Synchronization

/// TCP within this machine, for servers started by tests and for clients beyond an HTTP library's abilities.
package enum Loopback {
    /// The sockets holding the ports of `reservePort`.
    private static let reserved = Mutex<[Int32]>([])

    /// Returns an unused port; by default from outside the kernel's range for client ports.
    ///
    /// No later reservation returns it while this process lives. A server can listen on it with SO_REUSEADDR, which
    /// servers set: the socket holding the port does not listen, see socket(7).
    package static func reservePort(of ports: Range<Int> = 20_000..<32_000) throws(Errno) -> Int {
        // Most ports are free; where none is, this must not search forever.
        for _ in 0..<10_000 {
            let descriptor = try check("socket") {
                socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            }
            let port = Int.random(in: ports)
            guard hold(port, with: descriptor) else {
                close(descriptor)
                continue
            }
            // Only now, because it would let the bind succeed on an already reserved port.
            var enabled: Int32 = 1
            try check("setsockopt") {
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
            }
            reserved.withLock { $0.append(descriptor) }
            return port
        }
        throw Errno(EADDRINUSE, "no port of \(ports) is free")
    }

    private static func hold(_ port: Int, with descriptor: Int32) -> Bool {
        var address = address(port: UInt16(port))
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Returns a connection, which the caller has to close; `prepare` sets socket options before it connects.
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
