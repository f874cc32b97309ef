package import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

/// Offsets in a folder: 1 is after `.`, 2 after `..`, any higher offset is the node of the preceding entry; node
/// numbers begin above both.
extension MountedFileSystem {
    private static let pageSize = 128

    /// Opens nothing, since a listing needs no handle. A kernel able to do without this request does not repeat it.
    package func opendir(node: FuseNode, flags: FuseOpenFlags, request: consuming FuseRequest<Reply.Opened>) {
        guard !needsNoOpendir.load(ordering: .relaxed) else {
            request.fail(ENOSYS)
            return
        }
        request.reply(FuseOpened(handle: 0, options: [.cacheFolder, .keepCache]))
    }

    package func releasedir(node: FuseNode, handle: FuseHandle, request: consuming FuseRequest<Reply.Done>) {
        request.succeed()
    }

    package func fsyncdir(
        node: FuseNode, handle: FuseHandle, dataOnly: Bool, request: consuming FuseRequest<Reply.Done>
    ) {
        do {
            try files.syncFolder()
            request.succeed()
        } catch { request.fail(code(error)) }
    }

    package func readdir(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int, request: consuming FuseRequest<Reply.Directory>
    ) {
        var buffer = FuseDirectoryBuffer<Reply.Directory>(size: size)
        do {
            try list(NodeID(node), from: offset) { name, attributes, next in
                let shown = Self.fuse(attributes)
                return buffer.add(name, node: shown.node, mode: shown.mode, next: next)
            }
        } catch {
            request.fail(code(error))
            return
        }
        request.reply(buffer)
    }

    package func readdirplus(
        node: FuseNode, handle: FuseHandle, offset: Int64, size: Int,
        request: consuming FuseRequest<Reply.DirectoryPlus>
    ) {
        var buffer = FuseDirectoryBuffer<Reply.DirectoryPlus>(size: size)
        do {
            try list(NodeID(node), from: offset) { name, attributes, next in
                buffer.add(name, currentEntry(attributes), next: next)
            }
        } catch {
            request.fail(code(error))
            return
        }
        request.reply(buffer)
    }

    /// Passes the entries after `offset` to `add` until it reports a full buffer.
    private func list(
        _ node: NodeID, from offset: Int64, add: ([UInt8], NodeAttributes, Int64) throws -> Bool
    ) throws {
        if offset < 1 {
            guard try add([UInt8(ascii: ".")], files.attributes(of: node), 1) else { return }
        }
        if offset < 2 {
            let parent = try files.parent(of: node)
            guard try add(Array("..".utf8), files.attributes(of: parent), 2) else { return }
        }
        var cookie = offset <= 2 ? 0 : UInt64(clamping: offset)
        while true {
            let entries = try files.entries(of: node, after: cookie, limit: Self.pageSize)
            guard let last = entries.last else { return }
            for entry in entries where try !add(entry.name, entry.attributes, Int64(clamping: entry.cookie)) { return }
            cookie = last.cookie
        }
    }
}
