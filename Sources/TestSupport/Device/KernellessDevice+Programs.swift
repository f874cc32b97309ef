import Basics
import CloudModel
import Glibc
package import LocalMetadata
package import VirtualFileSystem

/// Operations of programs in the mount.
extension KernellessDevice {
    /// Returns the row with this name, or nil.
    package func row(_ name: String, in folder: NodeID? = nil) throws -> LocalItem? {
        try metadata.read { try $0.local.item(named: try ItemName(name), in: folder ?? documents) }
    }

    package func node(_ name: String, in folder: NodeID? = nil) throws -> NodeID {
        guard let row = try row(name, in: folder) else { throw Errno(ENOENT) }
        return row.node
    }

    /// `open(O_CREAT)`, `write`, `close`.
    @discardableResult
    package func save(_ name: String, _ text: String, in folder: NodeID? = nil) throws -> NodeID {
        try save(name, Array(text.utf8), in: folder)
    }

    @discardableResult
    package func save(_ name: String, _ bytes: [UInt8], in folder: NodeID? = nil) throws -> NodeID {
        let (attributes, handle) = try create(name, in: folder)
        defer { files.release(handle) }
        try write(bytes, to: handle)
        return attributes.node
    }

    /// `open(O_TRUNC)`, `write`, `close` of an existing file.
    package func edit(_ name: String, _ text: String, in folder: NodeID? = nil) throws {
        let handle = try files.open(try node(name, in: folder), canWrite: true, truncate: true)
        defer { files.release(handle) }
        try write(text, to: handle)
    }

    package func create(
        _ name: String, in folder: NodeID? = nil
    ) throws -> (attributes: NodeAttributes, handle: OpenHandle) {
        try files.create(Array(name.utf8), in: folder ?? documents, permissions: 0o644, caller: Self.caller)
    }

    package func makeFolder(_ name: String, in folder: NodeID? = nil) throws -> NodeID {
        try files.makeFolder(Array(name.utf8), in: folder ?? documents, permissions: 0o755, caller: Self.caller).node
    }

    package func write(_ text: String, at offset: UInt64 = 0, to handle: OpenHandle) throws {
        try write(Array(text.utf8), at: offset, to: handle)
    }

    package func write(_ bytes: [UInt8], at offset: UInt64 = 0, to handle: OpenHandle) throws {
        let count = try bytes.withUnsafeBytes { try files.write($0, at: offset, in: handle) }
        guard count == bytes.count else { throw Errno(EIO, "write") }
    }

    /// Returns the first 4,096 bytes as text.
    package func text(of handle: OpenHandle) throws -> String {
        try files.withDescriptor(handle) { descriptor in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try check("pread") { pread(descriptor, &bytes, bytes.count, 0) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    package func text(_ name: String, in folder: NodeID? = nil) throws -> String {
        let handle = try files.open(try node(name, in: folder), canWrite: false, truncate: false)
        defer { files.release(handle) }
        return try text(of: handle)
    }

    package func remove(_ name: String, in folder: NodeID? = nil) throws {
        try files.removeFile(Array(name.utf8), in: folder ?? documents)
    }

    package func rename(
        _ name: String, to other: String, in folder: NodeID? = nil, mode: RenameMode = .replace
    ) throws {
        try files.rename(Array(name.utf8), in: documents, to: Array(other.utf8), in: folder ?? documents, mode: mode)
    }

    package func names(in folder: NodeID? = nil) throws -> [String] {
        try files.entries(of: folder ?? documents, after: 0, limit: 100)
            .map { String(decoding: $0.name, as: UTF8.self) }.filter { $0 != "." && $0 != ".." }.sorted()
    }
}
