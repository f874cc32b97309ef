import Glibc
import TestSupport

/// A TCP connection of a slow client.
struct RawConnection: Sendable {
    private let descriptor: Int32
    /// A connection counts as stuck after this many milliseconds without progress.
    private static let patience: Int32 = 2_000

    init(port: Int) throws {
        descriptor = try Loopback.connect(to: port) { socket in
            // The kernel's buffers are small, so that the server receives all sent bytes, and keeps unread bytes.
            var space: Int32 = 1 << 16
            for option in [SO_RCVBUF, SO_SNDBUF] {
                setsockopt(socket, SOL_SOCKET, option, &space, socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }

    func close() { Glibc.close(descriptor) }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw EndToEndError("a request could not be sent")
        }
    }

    /// Sends up to `count` bytes on each connection, as long as they are accepted, and returns how many were accepted in total.
    static func pour(_ count: Int, into connections: [RawConnection]) throws -> Int {
        let part = (0..<(1 << 18)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var rests = connections.map { ($0.descriptor, count) }
        var taken = 0
        while !rests.isEmpty {
            let ready = try wait(for: rests.map(\.0), POLLOUT)
            guard !ready.isEmpty else { break }
            for index in rests.indices where ready.contains(rests[index].0) {
                let wanted = min(part.count, rests[index].1)
                let sent = Glibc.send(rests[index].0, part, wanted, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                // A connection closed by the server accepts no more.
                rests[index].1 = sent < 0 && errno != EAGAIN ? 0 : rests[index].1 - max(0, sent)
                taken += max(0, sent)
            }
            rests.removeAll { $0.1 == 0 }
        }
        return taken
    }

    /// Reads the first byte of each response and returns how many responses began.
    static func firstBytes(of connections: [RawConnection]) throws -> Int {
        var silent = connections.map(\.descriptor)
        while !silent.isEmpty {
            let ready = try wait(for: silent, POLLIN)
            guard !ready.isEmpty else { break }
            var byte: UInt8 = 0
            for descriptor in ready { recv(descriptor, &byte, 1, 0) }
            silent.removeAll { ready.contains($0) }
        }
        return connections.count - silent.count
    }

    /// Returns the ready descriptors, or none without progress for a while.
    private static func wait(for descriptors: [Int32], _ event: Int32) throws -> Set<Int32> {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(event), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), patience) >= 0 else { throw EndToEndError("poll failed") }
        return Set(polled.filter { $0.revents != 0 }.map(\.fd))
    }
}
