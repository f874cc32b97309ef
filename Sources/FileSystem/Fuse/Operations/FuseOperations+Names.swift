import CFuse3

extension FuseOperations {
    /// Adds the callbacks for creating, removing and renaming entries.
    static func addNames(to table: inout fuse_lowlevel_ops) {
        table.readlink = { request, node in
            let reader = FuseReader.current
            reader.connection.fileSystem.readlink(node: node, request: reader.adopt(request))
        }
        table.mknod = { request, parent, name, mode, device in
            let reader = FuseReader.current
            reader.connection.fileSystem.mknod(
                parent: parent, name: FuseName(name), mode: mode, device: UInt64(device),
                request: reader.adopt(request))
        }
        table.mkdir = { request, parent, name, mode in
            let reader = FuseReader.current
            reader.connection.fileSystem.mkdir(
                parent: parent, name: FuseName(name), mode: mode, request: reader.adopt(request))
        }
        table.unlink = { request, parent, name in
            let reader = FuseReader.current
            reader.connection.fileSystem.unlink(
                parent: parent, name: FuseName(name), request: reader.adopt(request))
        }
        table.rmdir = { request, parent, name in
            let reader = FuseReader.current
            reader.connection.fileSystem.rmdir(parent: parent, name: FuseName(name), request: reader.adopt(request))
        }
        table.symlink = { request, target, parent, name in
            let reader = FuseReader.current
            reader.connection.fileSystem.symlink(
                parent: parent, name: FuseName(name), target: FuseName(target), request: reader.adopt(request))
        }
        table.rename = { request, parent, name, newParent, newName, flags in
            let reader = FuseReader.current
            reader.connection.fileSystem.rename(
                parent: parent, name: FuseName(name), newParent: newParent, newName: FuseName(newName),
                flags: FuseRenameFlags(rawValue: flags), request: reader.adopt(request))
        }
        table.link = { request, node, newParent, newName in
            let reader = FuseReader.current
            reader.connection.fileSystem.link(
                node: node, newParent: newParent, newName: FuseName(newName), request: reader.adopt(request))
        }
    }
}
