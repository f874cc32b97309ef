package import Basics
import Glibc

/// A connected unix socket with calls that block for no longer than its `patience`.
package struct UnixStream: ~Copyable, Sendable {
    let descriptor: Int32

    /// Connects to the socket at `path`.
    ///
    /// - Parameter patience: How long this call, and each later one, may take.
    /// - Throws: ECONNREFUSED or ENOENT if no process listens, ETIMEDOUT if the listener's queue stayed full.
    package static func connected(to path: String, patience: Duration) throws(Errno) -> UnixStream {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let stream = UnixStream(descriptor: try check("socket") { socket(AF_UNIX, kind, 0) })
        // connect(2) applies the send timeout while it waits for room in the queue of a unix socket.
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] { try stream.limit(option, to: patience) }
        try timed { () throws(Errno) in try stream.connect(path) }
        return stream
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Sets a timeout; a call exceeding it fails with EAGAIN (socket(7)).
    private func limit(_ option: Int32, to patience: Duration) throws(Errno) {
        var limit = timeval(max(patience, .microseconds(1)))
        let size = socklen_t(MemoryLayout<timeval>.size)
        try check("setsockopt") { setsockopt(descriptor, SOL_SOCKET, option, &limit, size) }
    }

    private func connect(_ path: String) throws(Errno) {
        let descriptor = descriptor
        try ControlSocketAddress.with(path: path) { address, length throws(Errno) in
            _ = try check("connect") { Glibc.connect(descriptor, address, length) }
        }
    }

    /// Sends all bytes. Throws ETIMEDOUT if the peer does not read them in time.
    package func send(_ bytes: [UInt8]) throws(Errno) {
        var sent = 0
        while sent < bytes.count { sent += try send(rest: bytes[sent...]) }
    }

    private func send(rest: ArraySlice<UInt8>) throws(Errno) -> Int {
        try Self.timed { () throws(Errno) in
            try check("send") {
                rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
        }
    }

    /// Returns the received bytes, at least one; empty at the end of the stream. Throws ETIMEDOUT if nothing arrives
    /// within the patience.
    package func receive() throws(Errno) -> [UInt8] {
        try Self.timed { () throws(Errno) in try receive(flags: 0) }
    }

    /// Returns the bytes received so far, without waiting; nil if there are none.
    package func receiveNow() throws(Errno) -> [UInt8]? {
        do throws(Errno) { return try receive(flags: Int32(MSG_DONTWAIT)) } catch {
            if error.code == EAGAIN { return nil }
            throw error
        }
    }

    private func receive(flags: Int32) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            do throws(Errno) {
                count = try check("recv") { recv(descriptor, buffer.baseAddress, buffer.count, flags) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Shuts down both directions: a receiving thread gets the end of the stream.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func timed<T>(_ call: () throws(Errno) -> T) throws(Errno) -> T {
        do throws(Errno) { return try call() } catch {
            throw error.code == EAGAIN ? Errno(ETIMEDOUT, error.call) : error
        }
    }

    deinit { close(descriptor) }
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: time_t(seconds), tv_usec: suseconds_t(attoseconds / 1_000_000_000_000))
    }
}
