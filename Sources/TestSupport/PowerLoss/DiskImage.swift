import Basics
import Glibc

/// The disk's bytes in memory. Requests are applied to it in sequence, and it is written to a file for each crash
/// state.
struct DiskImage {
    private static let block = 4096
    private var bytes: [UInt8]
    /// Blocks with any nonzero byte.
    private var used: [Bool]
    private(set) var applied = 0
    private let log: CrashLog

    init(base: [UInt8], log: CrashLog) {
        bytes = base
        self.log = log
        let zeros = [UInt8](repeating: 0, count: Self.block)
        used = base.withUnsafeBytes { memory in
            stride(from: 0, to: memory.count, by: Self.block).map { start in
                let rest = UnsafeRawBufferPointer(rebasing: memory[start..<min(start + Self.block, memory.count)])
                return rest.baseAddress.map { memcmp($0, zeros, rest.count) != 0 } ?? false
            }
        }
    }

    /// Applies the first `count` requests, as far as they are not applied yet. States must be visited in ascending order of `settled`.
    mutating func advance(to count: Int) {
        precondition(count >= applied, "crash states are out of order")
        for record in log.records[applied..<count] {
            guard case .write(let place, let range) = record else { continue }
            bytes.replaceSubrange(place..<place + range.count, with: log.bytes[range])
            for block in place / Self.block...(place + max(range.count, 1) - 1) / Self.block { used[block] = true }
        }
        applied = count
    }

    /// Writes the disk after a crash to `file`. The settled requests of the state must have been applied already.
    func write(_ state: CrashState, to file: Int32) throws {
        precondition(state.settled == applied, "another state was prepared")
        try check("ftruncate") { ftruncate(file, 0) }
        try check("ftruncate") { ftruncate(file, off_t(bytes.count)) }
        try bytes.withUnsafeBytes { memory in
            var next = 0
            while let start = used[next...].firstIndex(of: true) {
                let end = used[start...].firstIndex(of: false) ?? used.count
                try put(memory[start * Self.block..<min(end * Self.block, memory.count)], at: start * Self.block, file)
                next = end
            }
        }
        for (index, part) in state.parts.sorted(by: { $0.key < $1.key }) { try put(part, of: index, file) }
    }

    private func put(_ part: CrashState.Part, of index: Int, _ file: Int32) throws {
        guard case .write(let place, let range) = log.records[index] else { return }
        try log.bytes.withUnsafeBytes { memory in
            guard case .sectors(let sectors) = part else { return try put(memory[range], at: place, file) }
            for sector in sectors.sorted() {
                let start = sector * CrashState.sector
                let piece =
                    range.lowerBound + start..<min(range.lowerBound + start + CrashState.sector, range.upperBound)
                try put(memory[piece], at: place + start, file)
            }
        }
    }

    private func put(_ bytes: Slice<UnsafeRawBufferPointer>, at place: Int, _ file: Int32) throws {
        let memory = UnsafeRawBufferPointer(rebasing: bytes)
        let count = try check("pwrite") { pwrite(file, memory.baseAddress, memory.count, off_t(place)) }
        guard count == memory.count else { throw Errno(ENOSPC, "the file of the crash state") }
    }
}
