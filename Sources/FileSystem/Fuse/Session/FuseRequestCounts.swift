import Synchronization

/// How many requests of each kind have arrived: a workload's cost as an exact number.
package final class FuseRequestCounts: Sendable {
    /// A request's number in the kernel's protocol, `enum fuse_opcode` of linux/fuse.h.
    package enum Operation: UInt32, Sendable, CaseIterable {
        case lookup = 1
        case forget = 2
        case getattr = 3
        case setattr = 4
        case readlink = 5
        case symlink = 6
        case mknod = 8
        case mkdir = 9
        case unlink = 10
        case rmdir = 11
        case rename = 12
        case link = 13
        case open = 14
        case read = 15
        case write = 16
        case statfs = 17
        case release = 18
        case fsync = 20
        case setxattr = 21
        case getxattr = 22
        case listxattr = 23
        case removexattr = 24
        case flush = 25
        case start = 26
        case opendir = 27
        case readdir = 28
        case releasedir = 29
        case fsyncdir = 30
        case access = 34
        case create = 35
        case interrupt = 36
        case ioctl = 39
        case poll = 40
        case batchForget = 42
        case fallocate = 43
        case readdirplus = 44
        case rename2 = 45
        case lseek = 46
        case copyFileRange = 47
        case syncfs = 50
        case tmpfile = 51
        case statx = 52
    }

    private let counts = InlineArray<64, Atomic<UInt64>> { _ in Atomic(0) }

    private let finished = Atomic<UInt64>(0)

    /// Counts an arrived request. Has to be followed by ``finish()``.
    func add(_ code: UInt32) {
        // The last slot counts operations added by later kernels.
        counts[min(Int(code), 63)].add(1, ordering: .relaxed)
    }

    /// Counts a request after its handler has returned. It may still wait for bytes.
    func finish() { finished.add(1, ordering: .releasing) }

    package subscript(operation: Operation) -> UInt64 { counts[Int(operation.rawValue)].load(ordering: .relaxed) }

    /// The non-zero counts, by the name of their operation.
    package var byName: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: Operation.allCases.map { ("\($0)", self[$0]) }).filter { $0.value > 0 }
    }

    /// The number of requests with running handlers. A program does not wait for some of them, such as a release.
    package var inProgress: UInt64 {
        // In this order, because a request arriving in between counts as in progress.
        let finished = finished.load(ordering: .acquiring)
        return max(total, finished) - finished
    }

    package var total: UInt64 {
        var sum: UInt64 = 0
        for index in counts.indices { sum += counts[index].load(ordering: .relaxed) }
        return sum
    }
}
