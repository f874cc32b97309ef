import Basics
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// The ports of the tests' servers.
@Suite("Ports of loopback")
struct LoopbackTests {
    @Test("a reserved port is not reserved twice, and a server can listen on it")
    func reservedPorts() async throws {
        let first = try Loopback.reservePort()
        var ports = [first]
        // With so few ports, many choices are already reserved. Clients may have those after 32,767.
        let few = first < 31_000 ? first..<first + 12 : first - 12..<first
        for _ in 0..<4 { ports.append(try Loopback.reservePort(of: few)) }
        #expect(Set(ports).count == ports.count)
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        #expect(throws: Errno.self) { try Loopback.reservePort(of: first..<first + 1) }
        for port in ports { try await bootstrap.bind(host: "127.0.0.1", port: port).get().close() }
    }
}
