import Basics
import Glibc

/// Blobs whose sync failed: the disk may lack bytes shown by the kernel, regardless of later syncs.
///
/// The list is stored in a file for the next process, without a sync: a power failure also removes the bytes that only
/// the kernel had.
final class UnsyncedBlobs: Sendable {
    private static let name = "unsynced"
    private let root: Int32
    private let blobs: RankedMutex<Set<BlobName>>

    /// Reads the list of an earlier process from the folder `root`, which must stay open as long as this object is
    /// used.
    init(root: Int32) throws(Errno) {
        self.root = root
        blobs = RankedMutex(.leaf, try Self.stored(root))
    }

    var all: Set<BlobName> { blobs.withLock { $0 } }

    func contains(_ blob: BlobName) -> Bool { blobs.withLock { $0.contains(blob) } }

    func insert(_ added: some Sequence<BlobName>) {
        blobs.withLock { blobs in
            blobs.formUnion(added)
            // If the list cannot be stored, this process still has it, and the caller reports the failed sync in any case.
            try? store(blobs)
        }
    }

    func remove(_ blob: BlobName) throws(Errno) {
        let failure = blobs.withLock { blobs -> Errno? in
            guard blobs.contains(blob) else { return nil }
            do throws(Errno) { try store(blobs.subtracting([blob])) } catch { return error }
            blobs.remove(blob)
            return nil
        }
        if let failure { throw failure }
    }

    private func store(_ blobs: Set<BlobName>) throws(Errno) {
        guard !blobs.isEmpty else {
            if unlinkat(root, Self.name, 0) != 0, errno != ENOENT { throw Errno(errno, "unlink") }
            return
        }
        let text = blobs.map { "\($0)\n" }.joined()
        try DurableFile(Self.name, in: root, temporary: "\(Self.name).new")
            .replace(with: Array(text.utf8), isSynced: false)
    }

    private static func stored(_ root: Int32) throws(Errno) -> Set<BlobName> {
        let file = openat(root, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw Errno(errno, "open \(name)") }
            return []
        }
        defer { close(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = try check("read", { read(file, &buffer, buffer.count) }), count > 0 {
            text += buffer[..<count]
        }
        return Set(
            String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { BlobName(fileName: "\($0)") })
    }
}
