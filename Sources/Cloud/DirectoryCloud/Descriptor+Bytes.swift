import Basics
import Glibc

extension Descriptor {
    /// Appends all bytes after those already written.
    func write(_ bytes: [UInt8]) throws(PathError) {
        do throws(Errno) { try writeAll(bytes) { Glibc.write(raw, $0.baseAddress, $0.count) } } catch {
            throw PathError(path: path, errno: error)
        }
    }

    /// Reads the next `count` bytes; fewer at the end of the file.
    func read(_ count: Int) throws(PathError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, failure == 0 {
                let more = Glibc.read(raw, buffer.baseAddress?.advanced(by: filled), count - filled)
                if more == 0 { break }
                if more > 0 { filled += more } else if errno != EINTR { failure = errno }
            }
        }
        guard failure == 0 else { throw PathError(path: path, errno: Errno(failure, "read")) }
        return bytes
    }

    /// Starts reading a file of `size` bytes from the disk. Otherwise the kernel reads only a few pages ahead of a header, and the read of the
    /// rest waits for the disk again (posix_fadvise(2)).
    func startReading(_ size: Int64) {
        let (least, most) = (Int64(16 << 10), Int64(8 << 20))
        if size > least { _ = posix_fadvise(raw, 0, off_t(min(size, most)), POSIX_FADV_WILLNEED) }
    }
}
