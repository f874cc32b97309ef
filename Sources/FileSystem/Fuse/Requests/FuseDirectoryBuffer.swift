import CFuse3
import Glibc

/// Entries of a folder in the form the kernel reads, up to the size it requested.
package struct FuseDirectoryBuffer<Kind>: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    /// Allocates `size` bytes, the size in the request.
    package init(size: Int) { memory = .allocate(byteCount: size, alignment: 8) }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { used == 0 }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<used]) }

    /// Appends an entry through `encode`: it receives the remaining memory and the name with a NUL, and returns the
    /// size needed by the entry, having written it only if it fits.
    private mutating func append(
        _ name: some Collection<UInt8>, _ encode: (UnsafeMutablePointer<CChar>?, Int, UnsafePointer<CChar>?) -> Int
    ) -> Bool {
        let left = memory.count - used
        let target = memory.baseAddress?.advanced(by: used).assumingMemoryBound(to: CChar.self)
        let length = name.count
        let size = withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text in
            var index = 0
            for byte in name {
                text[index] = CChar(bitPattern: byte)
                index += 1
            }
            text[length] = 0
            return encode(target, left, text.baseAddress)
        }
        guard size <= left else { return false }
        used += size
        return true
    }
}

extension FuseDirectoryBuffer where Kind == FuseReply.Directory {
    /// Adds a name; returns false if it does not fit and the buffer should be sent without it.
    ///
    /// - Parameters:
    ///   - mode: only the type counts.
    ///   - next: the offset from which a later request continues after this entry; never 0.
    package mutating func add(_ name: some Collection<UInt8>, node: FuseNode, mode: UInt32, next: Int64) -> Bool {
        var status = stat()
        status.st_ino = UInt(node)
        status.st_mode = mode
        return append(name) { fuse_add_direntry(nil, $0, $1, $2, &status, Int(next)) }
    }
}

extension FuseDirectoryBuffer where Kind == FuseReply.DirectoryPlus {
    /// Adds a name with its attributes, counting as a lookup unless the name is `.` or `..`; returns false, without
    /// counting it, if it does not fit. `next` is as in the plain buffer.
    package mutating func add(_ name: some Collection<UInt8>, _ entry: FuseEntry, next: Int64) -> Bool {
        var parameters = entry.parameters
        return append(name) { fuse_add_direntry_plus(nil, $0, $1, $2, &parameters, Int(next)) }
    }
}
