package import Basics
import Glibc

/// A blob's attributes for detecting writes: any write changes some of them.
package struct BlobStatus: Hashable, Sendable {
    package let size: UInt64
    package let modified: Timestamp
    package let changed: Timestamp
    /// Allocated 512-byte blocks.
    package let blocks: UInt64

    init(_ status: stat) {
        size = UInt64(clamping: status.st_size)
        modified = Timestamp(status.st_mtim)
        changed = Timestamp(status.st_ctim)
        blocks = UInt64(clamping: status.st_blocks)
    }

    /// Reads the status of an open blob.
    package init(descriptor: Int32) throws(Errno) {
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        self.init(status)
    }

    /// Returns whether bytes and size are the same in both; the change time is ignored, because `utimensat(2)` changes it too.
    package func hasSameContent(as other: BlobStatus) -> Bool { size == other.size && modified == other.modified }
}

/// Sets the modification time of an open blob.
package func setModified(_ time: Timestamp, descriptor: Int32) throws(Errno) {
    try check("futimens") { withTimes(time) { futimens(descriptor, $0) } }
}

func withTimes(_ time: Timestamp, _ body: (UnsafePointer<timespec>) -> Int32) -> Int32 {
    let times = [timespec(tv_sec: 0, tv_nsec: Int(utimeOmit)), time.timespec]
    return times.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? -1 }
}

/// `UTIME_OMIT` of `<sys/stat.h>`, a macro not imported by Swift.
private let utimeOmit = (1 << 30) - 2
