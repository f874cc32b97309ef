import Basics
import CFuse3
import Glibc

/// The memory of several entries, to which the kernel writes requests and from which it reads replies. Untouched pages
/// cost nothing.
final class RingMemory: @unchecked Sendable {
    /// The header of an entry and, after it, the two `iovec`s of its registration.
    static let headerStride = 320
    /// The largest payload of a request or a reply: 32 pages, like the kernel's read-ahead.
    static let payloadSize = 128 << 10

    private let start: UnsafeMutableRawPointer
    private let size: Int
    private let count: Int

    init(count: Int) throws(Errno) {
        self.count = count
        let page = Int(getpagesize())
        let headers = (count * Self.headerStride + page - 1) / page * page
        size = headers + count * Self.payloadSize
        guard
            let start = mmap(
                nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            start != MAP_FAILED
        else { throw Errno(errno, "map the memory of a queue") }
        self.start = start
    }

    deinit { munmap(start, size) }

    func header(_ index: Int) -> UnsafeMutableRawPointer { start + index * Self.headerStride }

    func payload(_ index: Int) -> UnsafeMutableRawPointer {
        start + size - (count - index) * Self.payloadSize
    }
}
