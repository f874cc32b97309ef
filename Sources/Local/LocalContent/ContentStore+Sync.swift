package import Basics
import CLinux
import Glibc
import Synchronization

/// Makes blobs durable, and tracks failed syncs.
extension ContentStore {
    /// Makes the bytes of an open blob durable. After a failure it fails until the blob is emptied or rewritten.
    package func syncBytes(of blob: BlobName, _ descriptor: Int32) throws(Errno) {
        guard !unsynced.contains(blob) else { throw Errno(EIO, "an earlier sync of it failed") }
        costs.add(.syncs)
        do throws(Errno) { try check("fdatasync") { fdatasync(descriptor) } } catch {
            unsynced.insert([blob])
            throw error
        }
        // This sync's error may have been reported to a different call (fsync(2) reports it once).
        guard !unsynced.contains(blob) else { throw Errno(EIO, "another sync of it failed") }
    }

    /// Makes the blob's name durable, with that of its shard; ``syncBytes(of:_:)`` does so for its bytes.
    package func syncName(of blob: BlobName) throws(Errno) {
        try onCall?(.sync)
        let name = ContentShards.name(of: blob)
        let mark = newNames.withLock { $0.mark(blob) }
        let shard = Int32(try check("open") { openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        defer { close(shard) }
        costs.add(.syncs)
        try check("fsync") { fsync(shard) }
        try shards.sync(name)
        newNames.withLock { $0.synced(blob, mark) }
    }

    /// Whether this process gave the blob its name and has not made it durable yet.
    package func needsNameSync(_ blob: BlobName) -> Bool { newNames.withLock { $0.contains(blob) } }

    /// Makes a blob's bytes and its name durable; succeeds if the blob is gone.
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

    /// Makes blobs durable with one flush of the file system (`syncfs(2)`), which covers all its pending writes.
    package func syncAll(_ blobs: [BlobName]) throws(Errno) {
        try onCall?(.sync)
        do throws(Errno) { try check("syncfs") { syncfs(root) } } catch {
            // The error does not identify the affected blob.
            unsynced.insert(blobs)
            throw error
        }
        for blob in blobs where unsynced.contains(blob) { throw Errno(EIO, "an earlier sync of \(blob) failed") }
    }

    // MARK: Blobs whose sync failed

    /// Blobs whose syncs are not trusted until they are rewritten.
    package var blobsToRenew: Set<BlobName> { unsynced.all }

    package func needsRenewal(_ blob: BlobName) -> Bool { unsynced.contains(blob) }

    /// Notes that the blob is empty, so no bytes can be missing on the disk.
    package func noteEmptied(_ blob: BlobName) throws(Errno) { try unsynced.remove(blob) }

    /// Creates a synced copy of a blob's bytes as shown by the kernel, for ``finishRenewal(of:)``.
    package func beginRenewal(of blob: BlobName) throws(Errno) {
        try FileRenewal.copy(Self.path(of: blob), in: root)
    }

    /// Replaces the blob by its copy. The caller ensures that the blob is closed and unchanged since the copy.
    package func finishRenewal(of blob: BlobName) throws(Errno) {
        try FileRenewal.install(Self.path(of: blob), in: root, parent: ContentShards.name(of: blob))
        try unsynced.remove(blob)
    }

    /// Rewrites the blobs whose sync failed in the last process. Called before any blob is open.
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
