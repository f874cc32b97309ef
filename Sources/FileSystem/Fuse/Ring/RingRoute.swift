/// The thread for handling a ring request.
///
/// The kernel ties a request to the thread of its processor's queue, even while that thread is busy and others are
/// idle. So disk-bound requests are handed to a helper. That costs two switches between threads, little compared to a
/// flush.
enum RingRoute: Equatable {
    case here
    case helper

    /// Requests that may write, copy or flush any number of bytes.
    private static let long: Set<FuseRequestCounts.Operation> = [
        .write, .fsync, .fsyncdir, .syncfs, .fallocate, .copyFileRange,
    ]

    /// - Parameter code: the operation's number in the kernel's protocol.
    init(_ code: UInt32) {
        guard let operation = FuseRequestCounts.Operation(rawValue: code) else {
            self = .helper
            return
        }
        self = Self.long.contains(operation) ? .helper : .here
    }
}
