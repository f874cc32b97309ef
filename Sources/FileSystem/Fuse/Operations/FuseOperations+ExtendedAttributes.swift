import CFuse3

extension FuseOperations {
    static func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
        table.setxattr = { request, node, name, value, size, flags in
            let reader = FuseReader.current
            reader.connection.fileSystem.setxattr(
                node: node, name: FuseName(name), value: UnsafeRawBufferPointer(start: value, count: size),
                flags: flags, request: reader.adopt(request))
        }
        table.getxattr = { request, node, name, size in
            let reader = FuseReader.current
            reader.connection.fileSystem.getxattr(
                node: node, name: FuseName(name), capacity: size, request: reader.adopt(request))
        }
        table.listxattr = { request, node, size in
            let reader = FuseReader.current
            reader.connection.fileSystem.listxattr(node: node, capacity: size, request: reader.adopt(request))
        }
        table.removexattr = { request, node, name in
            let reader = FuseReader.current
            reader.connection.fileSystem.removexattr(
                node: node, name: FuseName(name), request: reader.adopt(request))
        }
    }
}
