import Basics
import Glibc

/// Wakes a thread waiting for descriptors (pipe(7)). Stays set.
final class WakeSignal: Sendable {
    /// Readable once the signal is set.
    let descriptor: Int32
    private let source: Int32

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try check("pipe") { pipe(&ends) }
        (descriptor, source) = (ends[0], ends[1])
        for end in ends {
            try check("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) }
            try check("fcntl") { fcntl(end, F_SETFL, O_NONBLOCK) }
        }
    }

    deinit {
        close(descriptor)
        close(source)
    }

    func set() {
        var byte: UInt8 = 1
        // Fails only if the pipe is full, and then it is set.
        _ = write(source, &byte, 1)
    }
}
