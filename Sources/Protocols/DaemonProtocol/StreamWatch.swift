package import Basics
import CLinux
import Glibc

/// One thread sleeps until a stream has something to read, while others say whether it should care: epoll(7).
///
/// A thread that reads the stream itself disarms the watch meanwhile: what arrives wakes that thread only. Both calls cost less than a
/// microsecond, and neither wakes anybody.
package struct StreamWatch: ~Copyable, Sendable {
    private let queue: Int32
    private let stream: Int32

    private init(queue: Int32, stream: Int32) {
        self.queue = queue
        self.stream = stream
    }

    /// Armed. Must not outlive the stream.
    package static func on(_ stream: borrowing UnixStream) throws(Errno) -> StreamWatch {
        let queue = try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        let watch = StreamWatch(queue: queue, stream: stream.descriptor)
        var event = event(EPOLLIN.rawValue)
        try check("epoll_ctl") { epoll_ctl(queue, EPOLL_CTL_ADD, stream.descriptor, &event) }
        return watch
    }

    /// The next bytes, those that are there already, or the end wake who waits, once.
    package func arm() { set(EPOLLIN.rawValue) }

    /// Nothing but the end wakes who waits.
    package func disarm() { set(0) }

    private func set(_ events: UInt32) {
        var event = Self.event(events)
        // Fails for descriptors that are not in it only.
        epoll_ctl(queue, EPOLL_CTL_MOD, stream, &event)
    }

    private static func event(_ events: UInt32) -> epoll_event {
        epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data())
    }

    /// Whether there is something; false after so long without.
    package func wait(atMost patience: Duration) throws(Errno) -> Bool {
        let queue = queue
        let milliseconds = Int32(patience / .milliseconds(1))
        var event = epoll_event()
        return try check("epoll_wait") { epoll_wait(queue, &event, 1, milliseconds) } > 0
    }

    deinit { close(queue) }
}
