import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A real daemon's control socket, and misbehaving clients.
    @Suite("Control socket")
    struct SocketTests {
        /// Sends bytes, reads this many frames, and closes the connection.
        @discardableResult
        private func send(_ bytes: [UInt8], to socketPath: String, frames: Int = 0) throws -> [String] {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8.prefix($0.count - 1)) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            guard code == 0 else { throw EndToEndError("connect: \(String(cString: strerror(errno)))") }
            // The daemon may have closed the connection by then.
            _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            return try (0..<frames).map { _ in
                let length = try receive(4, descriptor).reduce(0) { $0 << 8 | Int($1) }
                return String(decoding: try receive(length, descriptor), as: UTF8.self)
            }
        }

        private func receive(_ count: Int, _ descriptor: Int32) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
                throw EndToEndError("the daemon ended the connection")
            }
            return bytes
        }

        @Test(
            "a cancellation sent right after its claim finds it, also for a document that was not requested before"
        )
        func calledOffAtOnce() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("for i in $(seq 40); do echo x > f$i; done")
                var bytes = frame(#"{"id":1,"request":{"hello":{"program":"x","version":{"major":1,"minor":7}}}}"#)
                for number in 1...40 {
                    let wanted = #"[{"mode":"write","options":[],"path":"CloudDocs/Documents/f\#(number)"}]"#
                    bytes += frame(#"{"id":\#(number * 2),"request":{"claim":{"accesses":\#(wanted)}}}"#)
                    bytes += frame(#"{"id":\#(number * 2 + 1),"request":{"finish":{"claim":\#(number * 2)}}}"#)
                }
                let answers = try send(bytes, to: "\(test.a.state)/control.sock", frames: 81)
                let unknown = answers.filter { $0.contains("has no claim with number") }
                #expect(unknown.isEmpty, "\(unknown.count): \(unknown.first ?? "")")
                #expect(answers.filter { $0.contains("done") }.count == 40, "\(answers.last ?? "")")
            }
        }

        private func frame(_ text: String) -> [UInt8] {
            withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian, Array.init) + Array(text.utf8)
        }

        @Test("clients that die at any byte, or send anything, end only their own connection")
        func hostileClients() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let path = "\(test.a.state)/control.sock"
                try await test.a.shell("echo x > f")
                let hello = frame(#"{"id":1,"request":{"hello":{"program":"x","version":{"major":1,"minor":0}}}}"#)
                let whole =
                    hello + frame(#"{"id":2,"request":{"sync":{"paths":[],"wait":true}}}"#)
                    + frame(#"{"id":3,"request":{"watch":{"paths":["CloudDocs/Documents/f"]}}}"#)
                for length in 0...whole.count { try send(Array(whole.prefix(length)), to: path) }
                for prefix: [UInt8] in [
                    [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0x10, 0, 1], [0, 0, 0, 0],
                ] {
                    try send(hello + prefix + [UInt8](repeating: 0x7B, count: 200_000), to: path)
                }
                let seed = UInt64.random(in: 0 ... .max)
                var state = seed
                for _ in 0..<100 {
                    let noise = (0..<Int(state % 3000)).map { _ -> UInt8 in
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        return UInt8(truncatingIfNeeded: state >> 33)
                    }
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    try send(hello + noise, to: path)
                }
                #expect(try await test.a.ubiquity(["status", test.a.mount]).succeeded, "seed \(seed)")
                #expect(try await test.a.contents("f") == "x")
                #expect(try await test.a.run("test", "-S", path).succeeded)
            }
        }
    }
}
