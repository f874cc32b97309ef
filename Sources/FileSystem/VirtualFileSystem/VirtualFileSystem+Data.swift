import Basics
import CLinux
import CloudModel
import Dispatch
import Glibc
import LocalContent
package import LocalMetadata
import Synchronization
import Transfers

extension VirtualFileSystem {
    /// Runs `body` with an open file's descriptor, kept open until `body` returns.
    package func withDescriptor<T>(_ handle: OpenHandle, _ body: (Int32) throws -> T) throws -> T {
        // The handle's claim keeps the descriptor open; the number does not change once it is set.
        let descriptor = handle.file.state.withLock { $0.descriptor }
        guard descriptor >= 0 else { throw Errno(EBADF) }
        return try body(descriptor)
    }

    /// `write(2)` at an offset, for mounts without direct kernel writes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, in handle: OpenHandle) throws -> Int {
        try prepareWrite(handle)
        guard Range(offset: Int64(clamping: offset), count: bytes.count) != nil else { throw Errno(EFBIG) }
        return try withDescriptor(handle) { descriptor in
            var done = 0
            while done < bytes.count {
                let count = try check("pwrite") {
                    pwrite(
                        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                        off_t(offset) + off_t(done))
                }
                done += count
            }
            return done
        }
    }

    /// Checks that the handle may write and that the file's bytes are local. A file is recorded as being written before
    /// its first byte changes: the database has said `isWriting` since the open, so there is nothing else to do.
    package func prepareWrite(_ handle: OpenHandle) throws {
        guard handle.canWrite else { throw Errno(EBADF) }
        guard try isWritable(handle) else { throw Errno(EAGAIN) }
    }

    /// `fsync(2)`: bytes, the blob's name and the rows leading to it survive the loss of power.
    package func sync(_ handle: OpenHandle) throws {
        let (descriptor, blob) = try handle.file.state.withLock { state in
            // The blob keeps them for a start after a crash, but later calls may remove them from it before the row is durable.
            if state.session.attributes != nil { try noteEdit(of: handle.file.node, &state) }
            return (state.descriptor, state.blob)
        }
        guard descriptor >= 0, let blob else { throw Errno(EBADF) }
        var calls: [@Sendable () throws -> Void] = [{ try self.content.syncBytes(of: blob, descriptor) }]
        if content.needsNameSync(blob) { calls.append { try self.content.syncName(of: blob) } }
        // Threads are worth their cost only if the disk has something to flush.
        if !metadata.isDurable { calls.append { try self.metadata.makeDurable() } }
        try Self.sideBySide(calls)
        if let failure = metadata.syncFailure { throw failure }
    }

    /// Runs disk-bound calls concurrently, since the disk flushes them together. When all are done, throws one of their
    /// errors, if any.
    private static func sideBySide(_ calls: [@Sendable () throws -> Void]) throws {
        if calls.count == 1 { return try calls[0]() }
        let failure = Mutex<(any Error)?>(nil)
        let isServing = RequestCosts.isServing
        @Sendable func run(_ call: @Sendable () throws -> Void) {
            do { try RequestCosts.$isServing.withValue(isServing, operation: call) } catch {
                failure.withLock { $0 = error }
            }
        }
        let others = DispatchGroup()
        for call in calls.dropFirst() {
            // A queue each: concurrent queues run no more calls at a time than there are processors, though all of
            // these sleep.
            DispatchQueue(label: "ubiquity.fsync").async(group: others) { run(call) }
        }
        if let first = calls.first { run(first) }
        others.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// `truncate(2)` of a file, open or not.
    func truncate(_ node: NodeID, to size: UInt64) throws {
        guard size <= UInt64(Int64.max) else { throw Errno(EFBIG) }
        let handle = try open(node, canRead: false, canWrite: true, truncate: size == 0)
        defer { release(handle) }
        guard size > 0 else { return }
        try handle.file.state.withLock { state in try resize(&state, to: size) }
    }

    /// Returns whether ``truncate`` needs missing bytes: when it shortens a placeholder to a size other than 0.
    package func needsContent(toTruncate node: NodeID, to size: UInt64) throws -> Bool {
        guard size > 0 else { return false }
        // A just ended download is settled by its waiters: the row alone would say "whole" too early.
        if let file = openFiles[node], !file.isWhole { return true }
        guard let item = try metadata.item(node) else { return false }
        return item.kind == .file && !item.isMaterialised
    }

    /// Sets the size of a file open for writing. A placeholder truncated to 0 needs no download.
    func resize(_ state: inout OpenFile.State, to size: UInt64) throws {
        guard let item = state.item, state.session.writers > 0 else { throw Errno(EINVAL) }
        if size == 0 {
            state.session.empties()
            try recordUnseenEdit(&state)
        }
        if state.download != nil {
            guard size == 0 else { throw Errno(EAGAIN) }
            try startEmpty(item, &state)
        }
        try check("ftruncate") { ftruncate(state.descriptor, off_t(size)) }
        if size == 0, let blob = state.blob { try content.noteEmptied(blob) }
        if state.session.baseline == nil { try noteTruncation(of: item.node, &state) } else { try touchBlob(&state) }
    }

    /// Opens a closed placeholder with an empty blob, for a program emptying it: its bytes are not needed, and may be
    /// out of reach.
    ///
    /// - Returns: False for any other file, opened as usual.
    func loadEmpty(_ state: inout OpenFile.State, _ node: NodeID) throws -> Bool {
        guard state.descriptor < 0, let item = try metadata.item(node), item.kind == .file, item.content != nil,
            !item.isMaterialised, !item.isEdited
        else { return false }
        try checkChangeable(item)
        (state.item, state.blob) = (item, item.blob)
        do {
            noteOpen(&state, canRead: false)
            state.session.empties()
            try startEmpty(item, &state)
        } catch {
            (state.item, state.blob) = (nil, nil)
            throw error
        }
        return true
    }

    /// Continues with a new blob, since ongoing fetches may still write to the old blob.
    private func startEmpty(_ item: LocalItem, _ state: inout OpenFile.State) throws {
        let old = item.blob
        var empty = item
        empty.generation += 1
        let bytes = SharedDescriptor(adopting: try content.create(empty.blob))
        // A start after a crash of the daemon relies on this time.
        try LocalContent.setModified(time.now(), descriptor: bytes.raw)
        var base: SeenContent?
        func isEmptied(_ row: inout LocalItem) {
            row.presence = .whole
            row.ranges = []
            row.size = 0
            row.isEdited = true
            // For a start after a crash to find the edit.
            row.isWriting = true
            row.content = nil
            row.wanted = 0
            row.generation = empty.generation
        }
        let isThere = try updateRow(of: item.node, &state) { row, state, transaction in
            guard row.generation == item.generation else { throw Errno(ESTALE, "the row has changed") }
            base = try rebase(row, overwritten: state.session.overwriting, transaction)
            isEmptied(&row)
        }
        if isThere {
            finishOverwriting(&state, base)
        } else if var gone = state.item {
            isEmptied(&gone)
            state.item = gone
        }
        state.bytes = bytes
        state.blob = empty.blob
        state.session.baseline = nil
        if let incomplete = state.incomplete.take() { source.closeIncomplete(incomplete.row) }
        removal.remove(old)
    }

    private func noteTruncation(of node: NodeID, _ state: inout OpenFile.State) throws {
        let now = time.now()
        try LocalContent.setModified(now, descriptor: state.descriptor)
        state.session.baseline = try BlobStatus(descriptor: state.descriptor)
        _ = try updateRow(of: node, &state) { row, _, _ in
            row.attributes.modified = now
            row.changed = now
        }
    }

    /// Sets a new time. POSIX requires it even if the size stays the same; the disk's coarse clock might hide it from
    /// the comparison.
    private func touchBlob(_ state: inout OpenFile.State) throws {
        try LocalContent.setModified(time.now(), descriptor: state.descriptor)
    }

    /// `fallocate(2)` with the mode bits of <linux/falloc.h> for keeping or zeroing bytes.
    package func allocate(_ handle: OpenHandle, mode: Int32, _ range: Range<UInt64>) throws {
        try prepareWrite(handle)
        guard let length = Int64(exactly: range.upperBound - range.lowerBound), range.upperBound <= Int64.max else {
            throw Errno(EFBIG)
        }
        _ = try withDescriptor(handle) { descriptor in
            try check("fallocate") { linux_fallocate(descriptor, mode, Int64(range.lowerBound), length) }
        }
    }

    /// `lseek(2)` with `SEEK_DATA` or `SEEK_HOLE`. Missing bytes count as data, never as a hole.
    package func seek(_ handle: OpenHandle, offset: UInt64, whence: Int32) throws -> UInt64 {
        guard let position = off_t(exactly: offset) else { throw Errno(ENXIO) }
        let isWhole = handle.file.isWhole
        if !isWhole {
            let size = handle.file.state.withLock { $0.item?.size ?? 0 }
            guard offset < size else { throw Errno(ENXIO) }
            return whence == 3 ? offset : size
        }
        return try withDescriptor(handle) { descriptor in
            UInt64(clamping: try check("lseek") { lseek(descriptor, position, whence) })
        }
    }

    /// `copy_file_range(2)` between two open files with local bytes; shares blocks where the disk supports it.
    /// Otherwise the kernel copies (`EOPNOTSUPP`, fuse_copy_file_range in fs/fuse/file.c), and waits for the bytes with
    /// each read and write.
    package func copyRange(
        from source: OpenHandle, at sourceOffset: UInt64, to target: OpenHandle, at targetOffset: UInt64, length: Int
    ) throws -> Int {
        guard target.canWrite else { throw Errno(EBADF) }
        guard try source.file.isWhole && isWritable(target) else { throw Errno(EOPNOTSUPP) }
        guard let from = Int64(exactly: sourceOffset), let to = Int64(exactly: targetOffset) else {
            throw Errno(EINVAL)
        }
        return try withDescriptor(source) { input in
            try withDescriptor(target) { output in
                var (from, to) = (from, to)
                return try check("copy_file_range") { linux_copy_file_range(input, &from, output, &to, length) }
            }
        }
    }
}
