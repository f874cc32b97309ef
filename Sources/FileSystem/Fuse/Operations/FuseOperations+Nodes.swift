import CFuse3
import Glibc

extension FuseOperations {
    /// Adds the callbacks about nodes and their attributes.
    static func addNodes(to table: inout fuse_lowlevel_ops) {
        table.lookup = { request, parent, name in
            let reader = FuseReader.current
            reader.connection.fileSystem.lookup(
                parent: parent, name: FuseName(name), request: reader.adopt(request))
        }
        table.forget = { request, node, count in
            FuseReader.current.connection.fileSystem.forget([FuseForget(node: node, count: count)])
            fuse_reply_none(request)
        }
        table.forget_multi = { request, count, items in
            let forgotten = UnsafeBufferPointer(start: items, count: count)
            FuseReader.current.connection.fileSystem.forget(
                forgotten.map { FuseForget(node: $0.ino, count: $0.nlookup) })
            fuse_reply_none(request)
        }
        table.getattr = { request, node, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.getattr(
                node: node, handle: info?.pointee.fh, request: reader.adopt(request))
        }
        table.setattr = { request, node, attributes, valid, info in
            let reader = FuseReader.current
            var changes = FuseSetAttributes(attributes?.pointee ?? stat(), valid: attributes == nil ? 0 : valid)
            changes.clearsSetID = changes.clearsSetID || reader.clearsSetID
            reader.connection.fileSystem.setattr(
                node: node, handle: info?.pointee.fh, changes: changes, request: reader.adopt(request))
        }
        table.statfs = { request, node in
            let reader = FuseReader.current
            reader.connection.fileSystem.statfs(node: node, request: reader.adopt(request))
        }
    }
}
