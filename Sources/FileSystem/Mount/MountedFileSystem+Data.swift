import Basics
package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

/// Bytes of open files.
extension MountedFileSystem {
    package func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Reply.Data>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        guard let range = Range(offset: offset, count: size) else {
            request.fail(EINVAL)
            return
        }
        do {
            if try files.isReady(range, in: handle) {
                handle.noteRead(range)
                send(handle, offset, size, request)
            } else if let head = handle.look(at: range) {
                request.reply(head)
            } else {
                handle.noteRead(range)
                readLater(handle, range, request)
            }
        } catch { request.fail(code(error)) }
    }

    private func send(
        _ handle: OpenHandle, _ offset: Int64, _ size: Int, _ request: consuming FuseRequest<Reply.Data>
    ) {
        request.reply(from: handle.file.descriptor, at: offset, count: size)
    }

    /// Replies once the missing bytes have arrived; the thread serves further requests meanwhile.
    private func readLater(
        _ handle: OpenHandle, _ range: Range<UInt64>, _ request: consuming FuseRequest<Reply.Data>
    ) {
        let later = request.deferred()
        let task = Task { [self] in
            let failure: (any Error)?
            do {
                try await files.makingRoomLater { try await files.wait(for: range, in: handle) }
                failure = nil
            } catch { failure = error }
            guard let request = later.take() else { return }
            if let failure {
                request.fail(code(failure))
            } else {
                send(handle, Int64(clamping: range.lowerBound), range.count, request)
            }
        }
        later.onInterrupt {
            // Ends only this wait; the fetch continues for other readers.
            task.cancel()
            later.take()?.fail(EINTR)
        }
    }

    package func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Reply.Count>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        guard let range = Range(offset: offset, count: payload.count) else {
            request.fail(offset < 0 ? EINVAL : EFBIG)
            return
        }
        do {
            if clearsSetID { try files.makingRoom { try dropSetID(NodeID(node)) } }
            guard try files.isWritable(handle) else {
                let bytes = try payload.copy()
                return whenWhole(handle, request) { files in
                    try bytes.withUnsafeBytes { try files.write($0, at: range.lowerBound, in: handle) }
                } reply: {
                    $0.reply($1)
                }
            }
            try files.prepareWrite(handle)
            request.reply(try write(payload, at: offset, in: handle))
        } catch { request.fail(code(error)) }
    }

    /// Writes `payload`. While the disk has little room the bytes are copied first, because bytes read from the
    /// kernel's pipe by a refused write are lost.
    private func write(_ payload: borrowing FusePayload, at offset: Int64, in handle: OpenHandle) throws -> Int {
        guard !files.source.isRoomAmple else {
            return try payload.write(to: handle.file.descriptor, at: offset)
        }
        let bytes = try payload.copy()
        return try files.makingRoom(for: bytes.count) {
            try bytes.withUnsafeBytes { try files.write($0, at: UInt64(offset), in: handle) }
        }
    }

    package func fallocate(
        node: FuseNode, handle: FuseHandle, mode: Int32, offset: Int64, length: Int64,
        request: consuming FuseRequest<Reply.Done>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        guard length > 0, let range = Range(offset: offset, count: Int(length)) else {
            request.fail(offset < 0 || length <= 0 ? EINVAL : EFBIG)
            return
        }
        let allocate: @Sendable (VirtualFileSystem) throws -> Void = { files in
            try files.allocate(handle, mode: mode, range)
        }
        do {
            guard try files.isWritable(handle) else {
                return whenWhole(handle, request, allocate) { request, _ in request.succeed() }
            }
            try files.makingRoom(for: Int(clamping: length)) { try allocate(files) }
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func lseek(
        node: FuseNode, handle: FuseHandle, offset: Int64, whence: Int32,
        request: consuming FuseRequest<Reply.Offset>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        // The kernel validates only the other kinds of seeks: a negative offset is passed on unchecked.
        guard let offset = UInt64(exactly: offset) else {
            request.fail(ENXIO)
            return
        }
        do {
            request.reply(Int64(clamping: try files.seek(handle, offset: offset, whence: whence)))
        } catch { request.fail(code(error)) }
    }

    package func copyFileRange(
        from source: FuseRange, to destination: FuseRange, length: Int, request: consuming FuseRequest<Reply.Count>
    ) {
        guard let input = handle(source.handle), let output = handle(destination.handle) else {
            request.fail(EBADF)
            return
        }
        guard let from = Range(offset: source.offset, count: length),
            let to = Range(offset: destination.offset, count: length)
        else {
            request.fail(EINVAL)
            return
        }
        do {
            let count = try files.makingRoom {
                try files.copyRange(
                    from: input, at: from.lowerBound, to: output, at: to.lowerBound, length: length)
            }
            request.reply(count)
        } catch { request.fail(code(error)) }
    }
}
