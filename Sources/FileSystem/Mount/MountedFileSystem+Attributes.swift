import Basics
package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

extension MountedFileSystem {
    package func getattr(node: FuseNode, handle: FuseHandle?, request: consuming FuseRequest<Reply.Attributes>) {
        do { reply(try files.attributes(of: NodeID(node)), to: request) } catch { request.fail(code(error)) }
    }

    func reply(_ attributes: NodeAttributes, to request: consuming FuseRequest<Reply.Attributes>) {
        request.reply(Self.fuse(attributes), timeout: isWritten(attributes.node) ? .zero : timeout)
    }

    package func setattr(
        node: FuseNode, handle: FuseHandle?, changes: FuseSetAttributes,
        request: consuming FuseRequest<Reply.Attributes>
    ) {
        if case .announcer(let announcement) = announcements.requester(request.context.process) {
            return announceModification(of: NodeID(node), changes, announcement, request: request)
        }
        // The kernel refuses negative sizes itself; clamped to zero they would empty the file.
        guard changes.size ?? 0 >= 0 else {
            request.fail(EINVAL)
            return
        }
        var wanted = AttributeRequest()
        wanted.permissions = changes.mode.map { UInt16($0 & 0o7777) }
        wanted.user = changes.user
        wanted.group = changes.group
        wanted.size = changes.size.map { UInt64(clamping: $0) }
        wanted.accessed = changes.accessTime.map(Self.time)
        wanted.modified = changes.modificationTime.map(Self.time)
        wanted.clearsSetID = changes.clearsSetID
        let node = NodeID(node)
        do {
            if let size = wanted.size, try files.needsContent(toTruncate: node, to: size) {
                return truncateLater(node, wanted, request)
            }
            let attributes = try files.makingRoom { try files.setAttributes(of: node, wanted) }
            reply(attributes, to: request)
        } catch { request.fail(code(error)) }
    }

    /// Truncates a placeholder once the bytes it keeps have arrived.
    private func truncateLater(
        _ node: NodeID, _ changes: AttributeRequest, _ request: consuming FuseRequest<Reply.Attributes>
    ) {
        let later = request.deferred()
        let task = Task { [self] in
            let result: Result<NodeAttributes, any Error>
            do {
                let handle = try files.open(node, canRead: false, canWrite: true, truncate: false)
                defer { files.release(handle) }
                try await files.makingRoomLater { try await files.waitUntilWhole(handle) }
                result = .success(try files.makingRoom { try files.setAttributes(of: node, changes) })
            } catch { result = .failure(error) }
            guard let request = later.take() else { return }
            switch result {
            case .success(let attributes): reply(attributes, to: request)
            case .failure(let error): request.fail(code(error))
            }
        }
        later.onInterrupt {
            task.cancel()
            later.take()?.fail(EINTR)
        }
    }

    private static func time(_ time: FuseSetAttributes.Time) -> AttributeRequest.Time {
        switch time {
        case .now: .now
        case .at(let value): .at(value)
        }
    }

    package func statfs(node: FuseNode, request: consuming FuseRequest<Reply.Statistics>) {
        do {
            let space = try files.space()
            request.reply(
                FuseStatistics(
                    blockSize: UInt(space.blockSize), blocks: space.blocks, freeBlocks: space.free,
                    availableBlocks: space.available, nodes: space.files, freeNodes: space.freeFiles))
        } catch { request.fail(code(error)) }
    }

    // MARK: Extended attributes

    package func setxattr(
        node: FuseNode, name: borrowing FuseName, value: UnsafeRawBufferPointer, flags: Int32,
        request: consuming FuseRequest<Reply.Done>
    ) {
        let text = name.text
        let modes: [Int32: ExtendedAttributeMode] = [0: .any, createFlag: .create, replaceFlag: .replace]
        guard let mode = modes[flags] else {
            request.fail(EINVAL)
            return
        }
        // The name must be the same on all devices, and the log carries it as text.
        guard let name = text else {
            request.fail(EINVAL)
            return
        }
        do {
            try files.makingRoom {
                try files.setExtendedAttribute(name, to: Array(value), of: NodeID(node), mode: mode)
            }
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func getxattr(
        node: FuseNode, name: borrowing FuseName, capacity: Int,
        request: consuming FuseRequest<Reply.ExtendedAttribute>
    ) {
        guard let name = name.text else {
            request.fail(ENODATA)
            return
        }
        do {
            request.reply(try files.extendedAttribute(name, of: NodeID(node)), capacity: capacity)
        } catch { request.fail(code(error)) }
    }

    package func listxattr(
        node: FuseNode, capacity: Int, request: consuming FuseRequest<Reply.ExtendedAttribute>
    ) {
        do {
            let names = try files.extendedAttributeNames(of: NodeID(node))
            request.reply(names.flatMap { Array($0.utf8) + [0] }, capacity: capacity)
        } catch { request.fail(code(error)) }
    }

    package func removexattr(node: FuseNode, name: borrowing FuseName, request: consuming FuseRequest<Reply.Done>) {
        guard let name = name.text else {
            request.fail(ENODATA)
            return
        }
        do {
            try files.makingRoom { try files.removeExtendedAttribute(name, of: NodeID(node)) }
            request.succeed()
        } catch { request.fail(code(error)) }
    }
}

/// `XATTR_CREATE` and `XATTR_REPLACE` of <sys/xattr.h>.
private let createFlag: Int32 = 1
private let replaceFlag: Int32 = 2
