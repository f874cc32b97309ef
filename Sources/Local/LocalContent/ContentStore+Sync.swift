package import Basics
import CLinux
import Glibc

/// Which blobs are durable, and which are not.
extension ContentStore {
    /// Makes the bytes of an open blob durable. Once that has failed it fails until the blob is emptied or rewritten.
    package func syncBytes(of blob: BlobName, _ descriptor: Int32) throws(Errno) {
        guard !unsynced.contains(blob) else { throw Errno(EIO, "an earlier sync of it failed") }
        do throws(Errno) { try check("fdatasync") { fdatasync(descriptor) } } catch {
            unsynced.insert([blob])
            throw error
        }
        // The error of this sync may have been reported to another call (fsync(2) reports it once).
        guard !unsynced.contains(blob) else { throw Errno(EIO, "another sync of it failed") }
    }

    /// Makes the blob's name durable, with that of its shard; its bytes are for ``syncBytes(of:_:)``.
    package func syncName(of blob: BlobName) throws(Errno) {
        try onCall?(.sync)
        let name = ContentShards.name(of: blob)
        let shard = Int32(try check("open") { openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        defer { close(shard) }
        try check("fsync") { fsync(shard) }
        try shards.sync(name)
    }

    /// Makes a blob's bytes and its name durable; no error when it is gone.
    package func sync(_ blob: BlobName) throws(Errno) {
        let descriptor: Int32
        do throws(Errno) { descriptor = try open(blob) } catch {
            if error.code == ENOENT { return }
            throw error
        }
        defer { close(descriptor) }
        try onCall?(.sync)
        try syncBytes(of: blob, descriptor)
        try syncName(of: blob)
    }

    /// Makes blobs durable with one flush of the file system (`syncfs(2)`), and whatever else is written on it.
    package func syncAll(_ blobs: [BlobName]) throws(Errno) {
        try onCall?(.sync)
        do throws(Errno) { try check("syncfs") { syncfs(root) } } catch {
            // It does not say which.
            unsynced.insert(blobs)
            throw error
        }
        for blob in blobs where unsynced.contains(blob) { throw Errno(EIO, "an earlier sync of \(blob) failed") }
    }

    // MARK: Blobs whose sync failed

    /// Those that no sync is believed of.
    package var blobsToRenew: Set<BlobName> { unsynced.all }

    package func needsRenewal(_ blob: BlobName) -> Bool { unsynced.contains(blob) }

    /// Nothing is left of its bytes that the disk could lack.
    package func noteEmptied(_ blob: BlobName) throws(Errno) { try unsynced.remove(blob) }

    /// Makes a synced copy of what the kernel shows of a blob, for ``finishRenewal(of:)``.
    package func beginRenewal(of blob: BlobName) throws(Errno) {
        try FileRenewal.copy(Self.path(of: blob), in: root)
    }

    /// Puts the copy in the blob's place. The caller makes sure that the blob is not open and has not changed since the copy.
    package func finishRenewal(of blob: BlobName) throws(Errno) {
        try FileRenewal.install(Self.path(of: blob), in: root, parent: ContentShards.name(of: blob))
        try unsynced.remove(blob)
    }

    /// What the last process could not sync. Called before any blob is open.
    func renewAll() throws(Errno) {
        for blob in unsynced.all {
            do throws(Errno) {
                try beginRenewal(of: blob)
                try finishRenewal(of: blob)
            } catch {
                guard error.code == ENOENT else { throw error }
                try unsynced.remove(blob)
            }
        }
    }
}
