import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// What programs do on one device: random operations on what it shows, noted in the ledger as far as they succeed.
struct UserActions {
    let device: SimulatedDevice
    let caller = Caller(user: 1000, group: 1000)
    static let names = ["a.txt", "b.txt", "c", "d.md"]
    static let folders = ["c", "f", "g", "p.app"]
    static let excluded = ["a.txt~", "b.tmp"]

    /// Does one thing and answers what. Errors that a program would see are part of the story.
    func act(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        device.time.advance(by: .milliseconds(random.number(1..<300)))
        let what = random.number(0..<100)
        do {
            switch what {
            case 0..<22: return try write(&random, &ledger, &next)
            case 22..<30: return try saveByRename(&random, &ledger, &next)
            case 30..<34: return try saveByDelete(&random, &ledger, &next)
            case 34..<42: return try unlink(&random, &ledger)
            case 42..<50: return try makeFolder(&random)
            case 50..<54: return try removeFolder(&random, &ledger)
            case 54..<70: return try rename(&random, &ledger)
            case 70..<73: return try exchange(&random, &ledger)
            case 73..<76: return try link(&random, &next)
            case 76..<80: return try attributes(&random)
            case 80..<83: return try extended(&random, &next)
            case 83..<85: return try truncate(&random, &ledger)
            case 85..<90: return try gesture(&random, &ledger)
            case 90..<94: return try begin(&random, &ledger, &next)
            case 94..<98: return try end(&random, &ledger, &next)
            default: return try pin(&random)
            }
        } catch let error as Errno {
            return "(\(what)) \(error)"
        }
    }

    /// A few files and a folder.
    func populate(_ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let root = try device.container().node
        guard let documents = try item("Documents", in: root) else { throw Errno(ENOENT) }
        let folder = try device.files.makeFolder(
            Array("f".utf8), in: documents.node, permissions: 0o755, caller: caller)
        for (name, parent) in [("a.txt", documents.node), ("c", documents.node), ("b.txt", folder.node)] {
            next += 1
            try save(name, in: parent, "\(next)", &ledger)
        }
        return "make Documents/f, a.txt ‘1’, c ‘2’, f/b.txt ‘3’"
    }

    // MARK: Where

    func items(where condition: (LocalItem) -> Bool) throws -> [LocalItem] {
        let root = try device.container().node
        return try device.metadata.read { transaction in
            guard let item = try transaction.item(root) else { return [] }
            var found: [LocalItem] = []
            try transaction.forEach(below: item) { if condition($0), $0.node != root { found.append($0) } }
            return found
        }
    }

    func file(_ random: inout SeededGenerator) throws -> LocalItem {
        guard let item = random.pick(try items { $0.kind == .file && !$0.isConflictSibling }) else {
            throw Errno(ENOENT)
        }
        return item
    }

    func folder(_ random: inout SeededGenerator) throws -> NodeID {
        random.pick(try items { $0.kind == .folder })?.node ?? .root
    }

    func name(_ random: inout SeededGenerator) -> String {
        random.chance(5) ? random.pick(Self.excluded) ?? "" : random.pick(Self.names) ?? ""
    }

    func item(_ name: String, in folder: NodeID) throws -> LocalItem? {
        try device.metadata.read { try $0.item(named: try ItemName(name), in: folder) }
    }

    func path(_ node: NodeID) throws -> String {
        try device.files.path(of: node).dropFirst().map(\.description).joined(separator: "/")
    }

    func content(of item: LocalItem?) throws -> String? {
        guard let item, item.kind == .file else { return nil }
        let text = try device.text(of: item)
        return text.isEmpty ? nil : text
    }

    // MARK: Files

    func fresh(_ random: inout SeededGenerator, _ next: inout Int) -> String {
        if random.chance(8) { return "same \(random.number(0..<2))" }
        next += 1
        return "\(next) by \(device.id.value)" + String(repeating: ".", count: random.number(0..<4))
    }

    func write(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        if random.chance(50), let item = try? file(&random) {
            return try overwrite(item, fresh(&random, &next), truncate: random.chance(60), &ledger)
        }
        let folder = try folder(&random)
        return try save(name(&random), in: folder, fresh(&random, &next), &ledger)
    }

    /// `open(O_CREAT | O_TRUNC)`, `write`, `close`.
    @discardableResult
    func save(_ name: String, in folder: NodeID, _ text: String, _ ledger: inout Ledger) throws -> String {
        if let old = try item(name, in: folder) { return try overwrite(old, text, truncate: true, &ledger) }
        let (_, handle) = try device.files.create(Array(name.utf8), in: folder, permissions: 0o644, caller: caller)
        try put(text, handle)
        device.files.release(handle)
        ledger.write(text)
        return "create \(try path(folder))/\(name) ‘\(text)’"
    }

    func overwrite(_ item: LocalItem, _ text: String, truncate: Bool, _ ledger: inout Ledger) throws -> String {
        let path = try path(item.node)
        let old = try content(of: item)
        if !truncate, !item.isMaterialised {
            guard device.isOnline else { return "can not fetch \(path)" }
            try device.materialise(item)
        }
        let handle = try device.files.open(item.node, canWrite: true, truncate: truncate)
        defer { device.files.release(handle) }
        guard try device.files.isWritable(handle) else { return "\(path) is not here" }
        try device.files.withDescriptor(handle) { _ = ftruncate($0, 0) }
        try put(text, handle)
        ledger.supersede(old == text ? nil : old)
        ledger.write(text)
        return "write \(path) ‘\(text)’ over ‘\(old ?? "")’"
    }

    /// Writes as the kernel does, with this device's clock as the disk's.
    func put(_ text: String, _ handle: OpenHandle) throws {
        let bytes = Array(text.utf8)
        _ = try bytes.withUnsafeBytes { try device.files.write($0, at: 0, in: handle) }
        device.time.advance(by: .microseconds(10))
        try device.files.withDescriptor(handle) { try setModified(device.time.now(), descriptor: $0) }
    }

    func saveByRename(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws
        -> String
    {
        let target = try file(&random)
        let temporary = random.pick(["new.txt", "new.txt~", "zz.tmp"]) ?? ""
        let text = fresh(&random, &next)
        let path = try path(target.node)
        try save(temporary, in: target.parent, text, &ledger)
        let old = try content(of: target)
        try device.files.rename(
            Array(temporary.utf8), in: target.parent, to: target.name.bytes, in: target.parent, mode: .replace)
        ledger.supersede(old == text ? nil : old)
        return "save \(path) by renaming \(temporary) ‘\(text)’ over ‘\(old ?? "")’"
    }

    func saveByDelete(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws
        -> String
    {
        let target = try file(&random)
        let path = try path(target.node)
        let old = try content(of: target)
        try device.files.removeFile(target.name.bytes, in: target.parent)
        ledger.supersede(old)
        let text = fresh(&random, &next)
        try save(target.name.description, in: target.parent, text, &ledger)
        return "save \(path) by deleting ‘\(old ?? "")’, then ‘\(text)’"
    }

    func truncate(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        let target = try file(&random)
        let old = try content(of: target)
        var request = AttributeRequest()
        request.size = 0
        _ = try device.files.setAttributes(of: target.node, request)
        ledger.supersede(old)
        return "truncate \(try path(target.node)) ‘\(old ?? "")’"
    }

    func unlink(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let target = random.pick(try items { $0.kind != .folder && !$0.isConflictSibling }) else {
            throw Errno(ENOENT)
        }
        return try unlink(target, &ledger)
    }

    func unlink(_ target: LocalItem, _ ledger: inout Ledger) throws -> String {
        let path = try path(target.node)
        let old = try content(of: target)
        try device.files.removeFile(target.name.bytes, in: target.parent)
        ledger.supersede(old)
        return "unlink \(path) ‘\(old ?? "")’"
    }
}
