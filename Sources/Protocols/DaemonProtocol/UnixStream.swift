package import Basics
import Glibc

/// A connected unix socket on which nothing blocks for longer than it may.
package struct UnixStream: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Connects. ECONNREFUSED and ENOENT: nobody listens; ETIMEDOUT: the listener's queue stayed full.
    package static func connected(to path: String, patience: Duration) throws(Errno) -> UnixStream {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let stream = UnixStream(descriptor: try check("socket") { socket(AF_UNIX, kind, 0) })
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(Errno) {
                try stream.connect(path)
                return stream
            } catch {
                guard error.code == EAGAIN else { throw error }
                // The queue is full (connect(2)); there is no event for its getting shorter.
                guard ContinuousClock.now < deadline else { throw Errno(ETIMEDOUT, "connect") }
                poll(nil, 0, 20)
            }
        }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    private func connect(_ path: String) throws(Errno) {
        let descriptor = descriptor
        try ControlSocketAddress.with(path: path) { address, length throws(Errno) in
            _ = try check("connect") { Glibc.connect(descriptor, address, length) }
        }
    }

    /// Throws ETIMEDOUT when the other side does not take it in time.
    package func send(_ bytes: [UInt8], patience: Duration) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), patience)
            } else if errno != EINTR {
                throw Errno(errno, "send")
            }
        }
    }

    /// What has arrived, at least one byte; empty at the end. Throws ETIMEDOUT after `patience` of silence.
    package func receive(patience: Duration) throws(Errno) -> ArraySlice<UInt8> {
        try wait(for: Int16(POLLIN), patience)
        let descriptor = descriptor
        var code: Int32 = 0
        let buffer = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            repeat { count = recv(descriptor, buffer.baseAddress, buffer.count, 0) } while count < 0 && errno == EINTR
            code = count < 0 ? errno : 0
            count = max(0, count)
        }
        guard code == 0 else { throw Errno(code, "recv") }
        return buffer[...]
    }

    /// Ends the conversation: whoever receives gets the end.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func wait(for events: Int16, _ patience: Duration) throws(Errno) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        let milliseconds = Int32(clamping: patience / .milliseconds(1))
        guard try check("poll", { poll(&entry, 1, milliseconds) }) > 0 else { throw Errno(ETIMEDOUT, "poll") }
    }

    deinit { close(descriptor) }
}

extension Int32 {
    /// For `poll`: a fraction is cut, what is too large waits as long as it can.
    fileprivate init(clamping value: Double) { self = value >= Double(Int32.max) ? .max : Int32(value) }
}
