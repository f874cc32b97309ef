package import Basics
import CLinux
import Glibc

extension ContentStore {
    /// Returns whether the blob's modification time is what the disk stores for `time`. A disk stores the nearest time that it can
    /// (`timestamp_truncate` in the kernel's fs/inode.c): ext4 none before 1901.
    package func isTime(_ time: Timestamp, of status: BlobStatus) -> Bool {
        // Where the disk cannot be asked (no O_TMPFILE, no space), the blob counts as written: an edit is never taken for none.
        status.modified == time || (try? nearestTime(to: time)) == status.modified
    }

    /// Returns the time that a file has after `time` was set, by setting it of a file without a name.
    private func nearestTime(to time: Timestamp) throws(Errno) -> Timestamp {
        let file = try check("open") { linux_open_unnamed(root, ".", O_RDWR | O_DIRECTORY | O_CLOEXEC, 0o600) }
        defer { close(file) }
        try LocalContent.setModified(time, descriptor: file)
        return try BlobStatus(descriptor: file).modified
    }
}
