import Basics
import Glibc

extension Descriptor {
    /// Writes all of the bytes behind those written before.
    func write(_ bytes: [UInt8]) throws(PathError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress?.advanced(by: done), $0.count - done) }
            if count >= 0 { done += count } else { try passInterruption("write") }
        }
    }

    /// The next `count` bytes; fewer at the end of the file.
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

    private func passInterruption(_ call: String) throws(PathError) {
        if errno != EINTR { throw PathError(path: path, errno: Errno(errno, call)) }
    }
}
