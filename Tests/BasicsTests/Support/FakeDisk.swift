import Basics
import Glibc
import Synchronization

/// Files in memory with their durable state: bytes after a sync of the file, names after a sync of their folder.
final class FakeDisk: FileCalls, @unchecked Sendable {
    private final class Inode {
        var bytes: [UInt8]
        var synced: [UInt8]

        init(_ bytes: [UInt8], synced: [UInt8]) { (self.bytes, self.synced) = (bytes, synced) }
    }

    private enum Open {
        case file(Inode)
        case folder(String)
    }

    private var names: [String: Inode]
    private var syncedNames: [String: Inode]
    private var open: [Int32: Open] = [:]
    private var step = 0
    private var isOff = false

    /// The call with this number fails once with this code.
    var failure: (step: Int, code: Int32)?
    /// From the call with this number on, nothing reaches the disk.
    var powerLoss: Int?
    var bytesPerWrite = 10

    var openFiles: Int { open.count }
    var visible: [String: [UInt8]] { names.mapValues(\.bytes) }

    init(_ files: [String: [UInt8]]) {
        names = files.mapValues { Inode($0, synced: $0) }
        syncedNames = names
    }

    /// Returns the state after a loss of power: with all names, as if they had reached the disk without a sync, or with
    /// the synced names only.
    func afterLossOfPower(keepingUnsynced: Bool) -> [String: [UInt8]] {
        // Names and bytes reach the disk in any order: a kept name may lead to lost bytes.
        (keepingUnsynced ? names : syncedNames).mapValues(\.synced)
    }

    func open(_ name: String, in folder: Int32, _ flags: Int32, _ mode: mode_t) -> Int32 {
        call {
            let number = Int32(100 + step)
            if flags & O_DIRECTORY != 0 {
                open[number] = .folder(name)
                return Int(number)
            }
            guard flags & O_EXCL != 0, names[name] == nil else { return fail(EEXIST) }
            let inode = Inode([], synced: [])
            names[name] = inode
            open[number] = .file(inode)
            return Int(number)
        }.asInt32
    }

    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        call {
            guard case .file(let inode) = open[file] else { return fail(EBADF) }
            inode.bytes += bytes.prefix(bytesPerWrite)
            return min(bytesPerWrite, bytes.count)
        }
    }

    func sync(_ file: Int32) -> Int32 {
        call {
            switch open[file] {
            case .file(let inode): inode.synced = inode.bytes
            case .folder(let path):
                syncedNames = syncedNames.filter { !$0.key.hasPrefix("\(path)/") }
                for (name, inode) in names where name.hasPrefix("\(path)/") { syncedNames[name] = inode }
            case nil: return fail(EBADF)
            }
            return 0
        }.asInt32
    }

    func rename(_ name: String, to other: String, in folder: Int32) -> Int32 {
        call {
            guard let inode = names.removeValue(forKey: name) else { return fail(ENOENT) }
            names[other] = inode
            return 0
        }.asInt32
    }

    /// Removes a file. This is not counted as a call, because it is the clean-up after a failure or of leftovers.
    func remove(_ name: String, in folder: Int32) -> Int32 {
        guard !isOff, names.removeValue(forKey: name) != nil else { return fail(ENOENT).asInt32 }
        return 0
    }

    func close(_ file: Int32) { open[file] = nil }

    private func call(_ body: () -> Int) -> Int {
        defer { step += 1 }
        if let powerLoss, step >= powerLoss { isOff = true }
        if isOff { return fail(EIO) }
        if let failure, failure.step == step {
            self.failure = nil
            return fail(failure.code)
        }
        return body()
    }

    private func fail(_ code: Int32) -> Int {
        errno = code
        return -1
    }
}

extension Int {
    fileprivate var asInt32: Int32 { Int32(truncatingIfNeeded: self) }
}
