import CFuse3

extension fuse_file_info {
    fileprivate var openFlags: FuseOpenFlags { FuseOpenFlags(rawValue: flags) }
}

extension FuseOperations {
    /// Adds the callbacks for opening, reading and writing files. libfuse passes a file's information to each of them.
    static func addFiles(to table: inout fuse_lowlevel_ops) {
        addOpening(to: &table)
        addContent(to: &table)
        addSpace(to: &table)
    }

    private static func addOpening(to table: inout fuse_lowlevel_ops) {
        table.open = { request, node, info in
            let reader = FuseReader.current
            var flags = info.file.openFlags
            flags.clearsSetID = reader.clearsSetID
            reader.connection.fileSystem.open(node: node, flags: flags, request: reader.adopt(request))
        }
        table.create = { request, parent, name, mode, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.create(
                parent: parent, name: FuseName(name), mode: mode, flags: info.file.openFlags,
                request: reader.adopt(request))
        }
        table.flush = { request, node, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.flush(
                node: node, handle: info.file.fh, lockOwner: info.file.lock_owner, request: reader.adopt(request))
        }
        table.release = { request, node, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.release(
                node: node, handle: info.file.fh, flags: info.file.openFlags, request: reader.adopt(request))
        }
    }

    private static func addContent(to table: inout fuse_lowlevel_ops) {
        table.read = { request, node, size, offset, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.read(
                node: node, handle: info.file.fh, offset: Int64(offset), size: size, flags: info.file.openFlags,
                request: reader.adopt(request))
        }
        table.write_buf = { request, node, vector, offset, info in
            let reader = FuseReader.current
            guard let vector else { preconditionFailure("libfuse called back with a write of nothing") }
            reader.connection.fileSystem.write(
                node: node, handle: info.file.fh, offset: Int64(offset), payload: FusePayload(vector),
                clearsSetID: reader.clearsSetID, request: reader.adopt(request))
        }
        table.fsync = { request, node, dataOnly, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.fsync(
                node: node, handle: info.file.fh, dataOnly: dataOnly != 0, request: reader.adopt(request))
        }
    }

    private static func addSpace(to table: inout fuse_lowlevel_ops) {
        table.fallocate = { request, node, mode, offset, length, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.fallocate(
                node: node, handle: info.file.fh, mode: mode, offset: Int64(offset), length: Int64(length),
                request: reader.adopt(request))
        }
        table.lseek = { request, node, offset, whence, info in
            let reader = FuseReader.current
            reader.connection.fileSystem.lseek(
                node: node, handle: info.file.fh, offset: Int64(offset), whence: whence,
                request: reader.adopt(request))
        }
        table.copy_file_range = { request, node, offset, info, toNode, toOffset, toInfo, length, _ in
            let reader = FuseReader.current
            reader.connection.fileSystem.copyFileRange(
                from: FuseRange(node: node, handle: info.file.fh, offset: Int64(offset)),
                to: FuseRange(node: toNode, handle: toInfo.file.fh, offset: Int64(toOffset)), length: length,
                request: reader.adopt(request))
        }
    }
}
