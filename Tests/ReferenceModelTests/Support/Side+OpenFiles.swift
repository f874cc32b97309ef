import CLinux
import Glibc

/// Calls on open files.
extension Side {
    func performOpen(_ operation: Operation) -> Outcome {
        switch operation {
        case .read(let slot, let count): with(slot) { Self.read($0, count) { Glibc.read($0, $1, $2) } }
        case .readAt(let slot, let offset, let count):
            with(slot) { opened in
                Self.read(opened, count) { pread($0, $1, $2, opened.aligned(offset)) }
            }
        case .write(let slot, let count, let seed):
            with(slot) { opened in
                Bytes.with(seed, opened.aligned(count)) { bytes, count in
                    .of { Glibc.write(opened.descriptor, bytes, count) }
                }
            }
        case .writeAt(let slot, let offset, let count, let seed):
            with(slot) { opened in
                Bytes.with(seed, opened.aligned(count)) { bytes, count in
                    .of { pwrite(opened.descriptor, bytes, count, opened.aligned(offset)) }
                }
            }
        case .seek(let slot, let offset, let whence): with(slot) { Self.seek($0, offset, whence) }
        case .truncateOpen(let slot, let size): with(slot) { file in .done { ftruncate(file.descriptor, size) } }
        case .allocate(let slot, let mode, let offset, let count):
            with(slot) { file in .done { linux_fallocate(file.descriptor, mode, Int64(offset), Int64(count)) } }
        case .writeMapped(let slot, let offset, let count, let seed):
            with(slot) { Self.writeMapped($0, offset, count, seed) }
        case .copyRange(let from, let offset, let to, let at, let count):
            with(from) { input in with(to) { output in Self.copy(input, offset, output, at, count) } }
        default: performControl(operation)
        }
    }

    private func performControl(_ operation: Operation) -> Outcome {
        switch operation {
        case .sync(let slot): with(slot) { file in .done { fsync(file.descriptor) } }
        case .changeModeOpen(let slot, let mode): with(slot) { file in .done { fchmod(file.descriptor, mode) } }
        case .setAttributeOpen(let slot, let name, let count):
            with(slot) { file in
                Bytes.with(count, count) { bytes, count in .done { fsetxattr(file.descriptor, name, bytes, count, 0) } }
            }
        case .lock(let slot, let operation):
            with(slot) { file in .done { flock(file.descriptor, operation | LOCK_NB) } }
        case .lockRecord(let slot, let type, let offset, let count):
            with(slot) { file in
                var record = Glibc.flock()
                (record.l_type, record.l_whence) = (Int16(type), Int16(SEEK_SET))
                (record.l_start, record.l_len) = (offset, count)
                // F_OFD_SETLK of <fcntl.h>, available only with _GNU_SOURCE: locks of open files, not of processes.
                return withUnsafeMutablePointer(to: &record) { lock in .done { fcntl(file.descriptor, 37, lock) } }
            }
        default: .failure(ENOTSUP)
        }
    }

    private static func read(
        _ opened: OpenSlot, _ count: Int, _ call: (Int32, UnsafeMutableRawPointer, Int) -> Int
    ) -> Outcome {
        let count = opened.aligned(count)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 4096)
        defer { buffer.deallocate() }
        var outcome = Outcome.of { call(opened.descriptor, buffer, count) }
        outcome.bytes = Array(UnsafeRawBufferPointer(start: buffer, count: outcome.value))
        return outcome
    }

    /// The positions of data and holes depend on the disk's layout of a file, so they are not compared; but no data may be in a hole on any
    /// disk.
    private static func seek(_ opened: OpenSlot, _ offset: Int, _ whence: Operation.Whence) -> Outcome {
        var status = stat()
        // The positions in the stream of a folder differ between file systems.
        guard fstat(opened.descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return Outcome() }
        switch whence {
        case .start: return .of { lseek(opened.descriptor, offset, SEEK_SET) }
        case .end: return .of { lseek(opened.descriptor, 0 &- offset, SEEK_END) }
        case .hole:
            let hole = Outcome.of { lseek(opened.descriptor, offset, 4) }
            guard hole.code == 0 else { return hole }
            return hole.value >= offset && hole.value <= status.st_size ? Outcome() : .failure(EILSEQ)
        case .data:
            let data = Outcome.of { lseek(opened.descriptor, offset, 3) }
            guard data.code == 0 else { return data.code == ENXIO ? Outcome() : data }
            return isZero(opened, offset..<data.value) ? Outcome() : .failure(EILSEQ)
        }
    }

    private static func isZero(_ opened: OpenSlot, _ range: Range<Int>) -> Bool {
        guard !opened.flags.isDirect, opened.flags.raw & O_ACCMODE != O_WRONLY else { return true }
        var bytes = [UInt8](repeating: 0, count: range.count)
        let count = pread(opened.descriptor, &bytes, range.count, range.lowerBound)
        return bytes.prefix(max(0, count)).allSatisfy { $0 == 0 }
    }

    /// Writes through shared memory, at most up to the end of the file, because nothing is mapped beyond it.
    private static func writeMapped(_ opened: OpenSlot, _ offset: Int, _ count: Int, _ seed: Int) -> Outcome {
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else { return .failure(errno) }
        // A folder's size differs between file systems; for types other than files, the kernel decides on the mapping.
        let size = status.st_mode & S_IFMT == S_IFREG ? status.st_size : offset + count
        let count = min(count, size - offset)
        guard count > 0 else { return .failure(ERANGE) }
        let page = offset / 4096 * 4096
        let length = offset - page + count
        guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, opened.descriptor, page),
            memory != MAP_FAILED
        else { return .failure(errno) }
        defer { munmap(memory, length) }
        return Bytes.with(seed, count) { bytes, count in
            memcpy(memory + offset - page, bytes, count)
            return .done { msync(memory, length, MS_SYNC) }
        }
    }

    private static func copy(
        _ input: OpenSlot, _ offset: Int, _ output: OpenSlot, _ at: Int, _ count: Int
    ) -> Outcome {
        var from = Int64(output.flags.isDirect ? output.aligned(offset) : input.aligned(offset))
        var to = Int64(input.flags.isDirect ? input.aligned(at) : output.aligned(at))
        var count = input.flags.isDirect ? input.aligned(count) : output.aligned(count)
        if input.flags.isDirect || output.flags.isDirect {
            // Whether an incomplete last block may be copied differs between file systems.
            var status = stat()
            guard fstat(input.descriptor, &status) == 0 else { return .failure(errno) }
            count = min(count, max(0, Int(clamping: Int128(status.st_size) - Int128(from))) / 4096 * 4096)
        }
        return .of { linux_copy_file_range(input.descriptor, &from, output.descriptor, &to, count) }
    }
}

extension Side.OpenSlot {
    /// Rounds down to whole blocks, as direct I/O requires.
    func aligned(_ number: Int) -> Int { flags.isDirect ? number / 4096 * 4096 : number }
}

/// Bytes without long repetitions, aligned for direct writes.
enum Bytes {
    // Written once, before any thread reads it.
    nonisolated(unsafe) private static let pool: UnsafeRawBufferPointer = {
        let pool = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 19, alignment: 4096)
        var word: UInt64 = 0x9E37_79B9_7F4A_7C15
        for index in stride(from: 0, to: pool.count, by: 8) {
            word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            pool.storeBytes(of: word ^ word >> 29, toByteOffset: index, as: UInt64.self)
        }
        return UnsafeRawBufferPointer(pool)
    }()

    /// Calls `body` with `count` bytes, at most 256 KiB, different for each of 32 seeds.
    static func with(_ seed: Int, _ count: Int, _ body: (UnsafeRawPointer, Int) -> Outcome) -> Outcome {
        guard let start = pool.baseAddress else { preconditionFailure("the pool is not empty") }
        return body(start + seed % 32 * 4096, min(count, 1 << 18))
    }
}
