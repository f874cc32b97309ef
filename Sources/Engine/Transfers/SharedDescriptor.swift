package import Basics
import Glibc

/// A file descriptor that is closed with its last reference, so that a closed and reused number is never written to.
package final class SharedDescriptor: Sendable {
    package let raw: Int32

    /// Takes over the descriptor: no other code may close it.
    package init(adopting raw: Int32) { self.raw = raw }

    /// Duplicates a descriptor of the same open file; the duplicate is closed on `exec`.
    package convenience init(duplicating raw: Int32) throws(Errno) {
        self.init(adopting: try check("fcntl(F_DUPFD_CLOEXEC)") { fcntl(raw, F_DUPFD_CLOEXEC, 0) })
    }

    // close(2) frees the number even when it reports an error; fsync, not close, reports write errors.
    deinit { close(raw) }

    /// Reads exactly `length` bytes at `offset`, or fewer at the end of the file.
    func read(at offset: UInt64, length: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            do throws(Errno) {
                while count < length {
                    let rest = UnsafeMutableBufferPointer(rebasing: buffer[count...])
                    let position = off_t(offset) + off_t(count)
                    let got = try check("pread") { pread(raw, rest.baseAddress, rest.count, position) }
                    if got == 0 { break }
                    count += got
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes at `offset`. After an error any part of them may have been written.
    func write(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let position = off_t(offset) + off_t(done)
            done += try check("pwrite") {
                bytes.withUnsafeBytes { pwrite(raw, $0.baseAddress.map { $0 + done }, bytes.count - done, position) }
            }
        }
    }
}
