package import Basics
import CLinux
import Glibc

/// Lets a thread sleep until a stream has something to read, while other threads arm and disarm the watch: epoll(7).
///
/// A thread reading the stream itself disarms the watch meanwhile, so that arriving bytes wake only that thread. Both
/// calls cost less than a microsecond, and neither wakes a thread.
package struct StreamWatch: ~Copyable, Sendable {
    private let queue: Int32
    private let stream: Int32

    private init(queue: Int32, stream: Int32) {
        self.queue = queue
        self.stream = stream
    }

    /// Returns an armed watch, which must not outlive the stream.
    package static func on(_ stream: borrowing UnixStream) throws(Errno) -> StreamWatch {
        let queue = try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        let watch = StreamWatch(queue: queue, stream: stream.descriptor)
        var event = event(EPOLLIN.rawValue)
        try check("epoll_ctl") { epoll_ctl(queue, EPOLL_CTL_ADD, stream.descriptor, &event) }
        return watch
    }

    /// Arms the watch: the next bytes, including those already received, or the end of the stream wake the waiting
    /// thread once.
    package func arm() { set(EPOLLIN.rawValue) }

    /// Disarms the watch: only the end of the stream wakes the waiting thread.
    package func disarm() { set(0) }

    private func set(_ events: UInt32) {
        var event = Self.event(events)
        // The call fails only for descriptors not in the epoll set.
        epoll_ctl(queue, EPOLL_CTL_MOD, stream, &event)
    }

    private static func event(_ events: UInt32) -> epoll_event {
        epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data())
    }

    /// Waits for the stream and returns whether it woke this thread; false after `patience`.
    package func wait(atMost patience: Duration) throws(Errno) -> Bool {
        let queue = queue
        let milliseconds = Int32(patience / .milliseconds(1))
        var event = epoll_event()
        return try check("epoll_wait") { epoll_wait(queue, &event, 1, milliseconds) } > 0
    }

    deinit { close(queue) }
}
