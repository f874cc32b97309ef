package import Basics
import CLinux
import Glibc

extension ContentStore {
    /// Returns whether the blob's modification time is the disk's representation of `time`. A disk stores the nearest
    /// time it supports (`timestamp_truncate` in the kernel's fs/inode.c): ext4 none before 1901.
    package func isTime(_ time: Timestamp, of status: BlobStatus) -> Bool {
        // If the disk cannot be asked (no O_TMPFILE, no space), the blob counts as written: an edit is never taken for
        // none.
        status.modified == time || (try? nearestTime(to: time)) == status.modified
    }

    /// Returns a file's time after setting `time`, by setting it on an unnamed file.
    private func nearestTime(to time: Timestamp) throws(Errno) -> Timestamp {
        let file = try check("open") { linux_open_unnamed(root, ".", O_RDWR | O_DIRECTORY | O_CLOEXEC, 0o600) }
        defer { close(file) }
        try LocalContent.setModified(time, descriptor: file)
        return try BlobStatus(descriptor: file).modified
    }
}
