import Basics
package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

extension MountedFileSystem {
    package func open(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Answer.Opened>) {
        inTurn(NodeID(node), flags, request) { [self] request in openNow(node, flags, request) }
    }

    private func openNow(_ node: FuseNode, _ flags: FuseOpenFlags, _ request: consuming FuseRequest<Answer.Opened>) {
        do {
            if flags.clearsSetID { try dropSetID(NodeID(node)) }
            // O_TRUNC empties a file that is opened for reading only, too.
            let handle = try files.open(
                NodeID(node), canWrite: flags.isWriting || flags.truncates, truncate: flags.truncates,
                isNonblocking: flags.isNonblocking && !flags.isWriting)
            let opened = opened(handle)
            // A program that was interrupted never gets its handle, and no release comes for it.
            if !request.reply(opened) { giveBack(opened.handle) }
        } catch { request.fail(code(error)) }
    }

    package func create(
        parent: FuseNode, name: borrowing FuseName, mode: UInt32, flags: FuseOpenFlags,
        request: consuming FuseRequest<Answer.Created>
    ) {
        let bytes = name.copy
        do {
            let (attributes, handle) = try created(bytes, in: NodeID(parent), mode, flags, request.context)
            let opened = opened(handle)
            if !request.reply(entry(attributes), opened) { giveBack(opened.handle) }
        } catch { request.fail(code(error)) }
    }

    private func created(
        _ name: [UInt8], in parent: NodeID, _ mode: UInt32, _ flags: FuseOpenFlags, _ context: FuseContext
    ) throws -> (NodeAttributes, OpenHandle) {
        do {
            return try files.create(
                name, in: parent, permissions: UInt16(mode & 0o7777), caller: caller(context))
        } catch let error as Errno where error.code == EEXIST && flags.rawValue & O_EXCL == 0 {
            // It came between the kernel's lookup and now: open what is there.
            let attributes = try files.lookup(name, in: parent)
            let handle = try files.open(
                attributes.node, canWrite: flags.isWriting || flags.truncates, truncate: flags.truncates)
            return (attributes, handle)
        }
    }

    private func opened(_ handle: OpenHandle) -> FuseOpened {
        let backing = backings.enter(handle)
        // Where the kernel writes to blobs by itself, pages of an earlier cached open may be stale.
        let options: FuseOpenOptions = backings.isOffered ? [.noFlush] : [.noFlush, .keepCache]
        return FuseOpened(handle: retain(handle), options: options, backing: backing)
    }

    private func giveBack(_ handle: FuseHandle) {
        guard let handle = takeBack(handle) else { return }
        backings.leave(handle.file.node)
        files.release(handle)
    }

    package func release(
        node: FuseNode, handle: FuseHandle, flags: FuseOpenFlags, request: consuming FuseRequest<Answer.Done>
    ) {
        giveBack(handle)
        request.succeed()
    }

    /// Nothing is held back that a close could lose: bytes are in the blob, and the row says that it is being written. So the kernel
    /// is told not to ask; one before Linux 5.16 does.
    package func flush(
        node: FuseNode, handle: FuseHandle, lockOwner: UInt64, request: consuming FuseRequest<Answer.Done>
    ) {
        request.succeed()
    }

    package func fsync(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Answer.Done>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        do {
            try files.sync(handle)
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func read(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, flags: FuseOpenFlags,
        request: consuming FuseRequest<Answer.Data>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        let range = UInt64(offset)..<UInt64(offset) + UInt64(size)
        do {
            if try files.isReady(range, in: handle) {
                send(handle, offset, size, request)
            } else {
                readLater(handle, range, request)
            }
        } catch { request.fail(code(error)) }
    }

    private func send(
        _ handle: OpenHandle, _ offset: Int64, _ size: Int, _ request: consuming FuseRequest<Answer.Data>
    ) {
        let descriptor = handle.file.state.withLock { $0.descriptor }
        request.reply(from: descriptor, at: offset, count: size)
    }

    /// The bytes are elsewhere: the thread goes on with other requests, the answer comes with the bytes.
    private func readLater(
        _ handle: OpenHandle, _ range: Range<UInt64>, _ request: consuming FuseRequest<Answer.Data>
    ) {
        let later = request.deferred()
        let task = Task { [self] in
            let failure: (any Error)?
            do {
                try await files.wait(for: range, in: handle)
                failure = nil
            } catch { failure = error }
            guard let request = later.take() else { return }
            if let failure {
                request.fail(code(failure))
            } else {
                send(handle, Int64(range.lowerBound), range.count, request)
            }
        }
        later.onInterrupt {
            // Ends this wait only; the fetch goes on while anybody else waits for it.
            task.cancel()
            later.take()?.fail(EINTR)
        }
    }

    package func write(
        node: FuseNode, handle: FuseHandle, offset: Int64, payload: borrowing FusePayload, clearsSetID: Bool,
        request: consuming FuseRequest<Answer.Count>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        do {
            if clearsSetID { try dropSetID(NodeID(node)) }
            guard try files.isWritable(handle) else {
                let bytes = try payload.copy()
                return whenWhole(handle, request) { files in
                    try bytes.withUnsafeBytes { try files.write($0, at: UInt64(offset), in: handle) }
                } reply: {
                    $0.reply($1)
                }
            }
            try files.prepareWrite(handle)
            let descriptor = handle.file.state.withLock { $0.descriptor }
            request.reply(try payload.write(to: descriptor, at: offset))
        } catch { request.fail(code(error)) }
    }

    private func dropSetID(_ node: NodeID) throws {
        let attributes = try files.attributes(of: node)
        guard attributes.permissions & 0o6000 != 0 else { return }
        var changes = AttributeRequest()
        changes.clearsSetID = true
        _ = try files.setAttributes(of: node, changes)
        // The kernel knows of new sizes and times by itself, but goes on showing the mode.
        invalidator.invalidateAttributes(of: node)
    }

    package func fallocate(
        node: FuseNode, handle: FuseHandle, mode: Int32, offset: Int64, length: Int64,
        request: consuming FuseRequest<Answer.Done>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        let allocate: @Sendable (VirtualFileSystem) throws -> Void = { files in
            try files.allocate(handle, mode: mode, offset: UInt64(offset), length: UInt64(length))
        }
        do {
            guard try files.isWritable(handle) else {
                return whenWhole(handle, request, allocate) { request, _ in request.succeed() }
            }
            try allocate(files)
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func lseek(
        node: FuseNode, handle: FuseHandle, offset: Int64, whence: Int32,
        request: consuming FuseRequest<Answer.Offset>
    ) {
        guard let handle = self.handle(handle) else {
            request.fail(EBADF)
            return
        }
        do {
            request.reply(Int64(try files.seek(handle, offset: UInt64(offset), whence: whence)))
        } catch { request.fail(code(error)) }
    }

    package func copyFileRange(
        from source: FuseRange, to destination: FuseRange, length: Int, request: consuming FuseRequest<Answer.Count>
    ) {
        guard let input = handle(source.handle), let output = handle(destination.handle) else {
            request.fail(EBADF)
            return
        }
        do {
            request.reply(
                try files.copyRange(
                    from: input, at: UInt64(source.offset), to: output, at: UInt64(destination.offset), length: length))
        } catch { request.fail(code(error)) }
    }
}
