import CFuse3

extension FuseOperations {
    static func addFolders(to table: inout fuse_lowlevel_ops) {
        table.opendir = { request, node, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.opendir(
                node: node, flags: FuseOpenFlags(rawValue: info.file.flags), request: reader.adopt(request))
        }
        table.readdir = { request, node, size, offset, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.readdir(
                node: node, handle: info.file.fh, offset: Int64(offset), size: size, request: reader.adopt(request))
        }
        table.readdirplus = { request, node, size, offset, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.readdirplus(
                node: node, handle: info.file.fh, offset: Int64(offset), size: size, request: reader.adopt(request))
        }
        table.releasedir = { request, node, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.releasedir(
                node: node, handle: info.file.fh, request: reader.adopt(request))
        }
        table.fsyncdir = { request, node, dataOnly, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.fsyncdir(
                node: node, handle: info.file.fh, dataOnly: dataOnly != 0, request: reader.adopt(request))
        }
    }
}

extension Optional where Wrapped == UnsafeMutablePointer<fuse_file_info> {
    /// The information passed by libfuse with an open file; it is never missing if the protocol carries a handle.
    var file: fuse_file_info {
        guard let self else { preconditionFailure("libfuse called back without the file's information") }
        return self.pointee
    }
}
