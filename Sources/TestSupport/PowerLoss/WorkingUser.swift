import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata
import Sync
import TestSupport
import VirtualFileSystem

/// Random work on a device, recorded step by step.
struct WorkingUser {
    let device: PowerDevice
    let other: PowerDevice
    let record: WorkRecord
    let disk: String
    var random: SeededGenerator
    /// The number of the last content written.
    var next: Int
    private let caller = Caller(user: geteuid(), group: getegid())

    static let names = (0..<12).map { "a\($0)" }
    static let foreignNames = (0..<4).map { "r\($0)" }

    /// Records the names and contents at the start.
    func lookAround() throws {
        var found: [String: Int] = [:]
        for item in try device.all() where Self.names.contains("\(item.name)") || "\(item.name)".hasPrefix("new") {
            let isHere = item.presence == .whole
            found["\(item.name)"] = isHere ? WrittenContent.number(of: try device.bytes(of: item)) : Self.evicted
        }
        try record.note(.found(found))
    }

    /// Marks a cloud-only content.
    static let evicted = -1

    mutating func act() throws {
        let name = random.pick(Self.names) ?? ""
        switch random.number(0..<100) {
        case 0..<10: try write(name)
        case 10..<18:
            try write(name)
            try does(.sync(name))
        case 18..<42: try save(name)
        case 42..<64: try saveByRename(name)
        case 64..<70: try does(.rename(name, random.pick(Self.names) ?? ""))
        case 70..<77: try does(.remove(name))
        case 77..<84: try does(.syncFolder)
        case 84..<89: try does(.evict(name))
        case 89..<95: try workElsewhere()
        default: try writeBack()
        }
    }

    private mutating func write(_ name: String) throws {
        next += 1
        try does(.write(name, next))
    }

    private mutating func save(_ name: String) throws {
        next += 1
        try does(.save(name, next))
    }

    /// Saves like an editor: the new bytes are synced under a temporary name first.
    private mutating func saveByRename(_ name: String) throws {
        let temporary = "new\(random.number(0..<3))"
        try save(temporary)
        try does(.rename(temporary, name))
        if random.chance(40) { try does(.syncFolder) }
    }

    /// Performs a step between two entries of the record.
    private func does(_ step: Step) throws {
        try record.note(.begins(step))
        do {
            try perform(step)
            try record.note(.done)
        } catch let error as Errno where [ENOENT, EBUSY, EAGAIN, EIO, ENETUNREACH, ESTALE].contains(error.code) {
            try record.note(.refused)
        }
    }

    private func perform(_ step: Step) throws {
        switch step {
        case .write(let name, let number): try write(number, to: name, on: device, isSynced: false)
        case .save(let name, let number): try write(number, to: name, on: device, isSynced: true)
        case .sync(let name):
            guard let item = try device.item(name) else { throw Errno(ENOENT) }
            let handle = try device.files.open(item.node, canWrite: false, truncate: false)
            defer { device.files.release(handle) }
            try device.files.sync(handle)
        case .rename(let from, let to):
            let folder = try device.documents().node
            try device.files.rename(Array(from.utf8), in: folder, to: Array(to.utf8), in: folder, mode: .replace)
        case .remove(let name): try device.files.removeFile(Array(name.utf8), in: device.documents().node)
        case .syncFolder: try device.files.syncFolder()
        case .evict(let name):
            guard let item = try device.item(name) else { throw Errno(ENOENT) }
            do { try device.engine.evictor.evict(item.node) } catch is EvictionRefusal { throw Errno(EBUSY) }
        }
    }

    private func write(_ number: Int, to name: String, on device: PowerDevice, isSynced: Bool) throws {
        let handle: OpenHandle
        if let item = try device.item(name) {
            handle = try device.files.open(item.node, canWrite: true, truncate: true)
        } else {
            let folder = try device.documents().node
            handle = try device.files.create(Array(name.utf8), in: folder, permissions: 0o644, caller: caller).handle
        }
        defer { device.files.release(handle) }
        _ = try WrittenContent.bytes(number).withUnsafeBytes { try device.files.write($0, at: 0, in: handle) }
        if isSynced { try device.files.sync(handle) }
    }

    /// Lets the second device write a version of a document belonging to it; this device pins it to get its bytes.
    private mutating func workElsewhere() throws {
        let name = random.pick(Self.foreignNames) ?? ""
        next += 1
        try record.note(.elsewhere(next))
        try write(next, to: name, on: other, isSynced: false)
        for name in Self.foreignNames {
            guard let item = try device.item(name), item.presence != .whole else { continue }
            try device.files.setPin(.keep, of: item.node)
        }
    }

    /// Writes one file back before all others, as the kernel may do at any time, or lets another program sync its own
    /// file, and the disk's journal with it.
    private mutating func writeBack() throws {
        let blobs = (0..<4).flatMap { (try? device.content.blobs(inShard: $0)) ?? [] }
        let choices: [String?] = ["metadata.sqlite", "metadata.sqlite-wal", nil, nil]
        guard let name = random.pick(choices) ?? nil else { return try syncOwnFile(random.pick(blobs)) }
        try Self.syncFile("\(disk)/state/\(name)", flags: O_RDONLY)
    }

    private mutating func syncOwnFile(_ blob: BlobName?) throws {
        if let blob, random.chance(50) { return try device.content.sync(blob) }
        try Self.syncFile("\(disk)/neighbour\(random.number(0..<1000))", flags: O_RDWR | O_CREAT)
    }

    private static func syncFile(_ path: String, flags: Int32) throws {
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        try check("fsync") { fsync(file) }
    }
}
