import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Transfers
import VirtualFileSystem

/// What programs do on one device: random operations on what it shows, noted in the ledger as far as they succeed.
struct UserActions {
    let device: SimulatedDevice
    let caller = Caller(user: 1000, group: 1000)
    private static let names = ["a.txt", "b.txt", "c", "d.md"]
    private static let folders = ["c", "f", "g", "p.app"]
    private static let excluded = ["a.txt~", "b.tmp"]

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
        guard device.files.isWritable(handle) else { return "\(path) is not here" }
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

    // MARK: Folders and names

    func makeFolder(_ random: inout SeededGenerator) throws -> String {
        let parent = try folder(&random)
        let name = random.pick(Self.folders) ?? ""
        _ = try device.files.makeFolder(Array(name.utf8), in: parent, permissions: 0o755, caller: caller)
        return "mkdir \(try path(parent))/\(name)"
    }

    /// `rmdir`, or `rm -r` with all that is inside.
    func removeFolder(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let target = random.pick(try items { $0.kind == .folder && !$0.item.isWellKnown }) else {
            throw Errno(ENOENT)
        }
        let path = try path(target.node)
        guard random.chance(60) else {
            try device.files.removeFolder(target.name.bytes, in: target.parent)
            return "rmdir \(path)"
        }
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in try transaction.forEach(below: target) { inside.append($0) } }
        for item in inside where item.kind != .folder { _ = try unlink(item, &ledger) }
        for item in inside.filter({ $0.kind == .folder }).reversed() {
            // Deepest first: a folder that still holds something is not empty, as for rm.
            if (try? device.files.removeFolder(item.name.bytes, in: item.parent)) == nil { continue }
        }
        for _ in 0..<4 { try? sweepFolders(below: target) }
        return "rm -r \(path)"
    }

    func sweepFolders(below target: LocalItem) throws {
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in
            guard let target = try transaction.item(target.node) else { return }
            try transaction.forEach(below: target) { inside.append($0) }
        }
        for item in inside where item.kind == .folder {
            try? device.files.removeFolder(item.name.bytes, in: item.parent)
        }
    }

    func rename(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let source = random.pick(try items { !$0.isConflictSibling && !$0.item.isWellKnown }) else {
            throw Errno(ENOENT)
        }
        let parent = random.chance(50) ? source.parent : try folder(&random)
        let name = source.kind == .folder && random.chance(70) ? random.pick(Self.folders) ?? "" : name(&random)
        let target = try item(name, in: parent)
        let from = try path(source.node)
        let moved = try content(of: source)
        let old = try content(of: target)
        try device.files.rename(
            source.name.bytes, in: source.parent, to: Array(name.utf8), in: parent,
            mode: random.chance(80) ? .replace : .noReplace)
        if old != moved { ledger.supersede(old) }
        if Self.excluded.contains(name) || source.isExcluded { try excuseAll(below: source, &ledger) }
        return "rename \(from) to \(try path(parent))/\(name)" + (target == nil ? "" : " over ‘\(old ?? "")’")
    }

    /// What left the sync may be gone elsewhere and come back with a rename: nothing can be said of it.
    func excuseAll(below item: LocalItem, _ ledger: inout Ledger) throws {
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in
            guard let item = try transaction.item(item.node) else { return }
            try transaction.forEach(below: item) { inside.append($0) }
        }
        for item in inside { ledger.excuse(try content(of: item)) }
    }

    func exchange(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        let all = try items { !$0.isConflictSibling && !$0.item.isWellKnown && !$0.isExcluded }
        guard let one = random.pick(all), let two = random.pick(all) else { throw Errno(ENOENT) }
        let paths = (try path(one.node), try path(two.node))
        // A new file takes a document's identity with its name: the document's content is a copy under the other name then.
        if one.isKnown != two.isKnown { for item in [one, two] { ledger.excuse(try content(of: item)) } }
        try device.files.rename(one.name.bytes, in: one.parent, to: two.name.bytes, in: two.parent, mode: .exchange)
        return "exchange \(paths.0) and \(paths.1)"
    }

    func link(_ random: inout SeededGenerator, _ next: inout Int) throws -> String {
        let parent = try folder(&random)
        let name = name(&random)
        next += 1
        _ = try device.files.makeSymlink(
            Array(name.utf8), in: parent, target: Array("target \(next % 2)".utf8), caller: caller)
        return "link \(try path(parent))/\(name)"
    }

    // MARK: Attributes

    func attributes(_ random: inout SeededGenerator) throws -> String {
        guard let target = random.pick(try items { !$0.isConflictSibling && $0.kind != .symlink }) else {
            throw Errno(ENOENT)
        }
        var request = AttributeRequest()
        if random.chance(60) { request.permissions = random.pick([0o600, 0o644, 0o755, 0o700]) }
        if random.chance(60) {
            request.modified = .at(Timestamp(seconds: 1_800_000_000 + Int64(random.number(0..<1000))))
        }
        _ = try device.files.setAttributes(of: target.node, request)
        return "chmod and touch \(try path(target.node))"
    }

    func extended(_ random: inout SeededGenerator, _ next: inout Int) throws -> String {
        guard let target = random.pick(try items { !$0.isConflictSibling && ($0.kind == .file || $0.kind == .folder) })
        else {
            throw Errno(ENOENT)
        }
        let name = random.pick(["user.x", "user.y"]) ?? ""
        if random.chance(30) {
            try device.files.removeExtendedAttribute(name, of: target.node)
            return "removexattr \(try path(target.node)) \(name)"
        }
        next += 1
        try device.files.setExtendedAttribute(name, to: Array("\(next)".utf8), of: target.node, mode: .any)
        return "setxattr \(try path(target.node)) \(name)"
    }

    func pin(_ random: inout SeededGenerator) throws -> String {
        guard let target = random.pick(try items { !$0.isConflictSibling }) else { throw Errno(ENOENT) }
        let state = random.pick(PinState.allCases) ?? .inherited
        try device.files.setPin(state, of: target.node)
        return "pin \(try path(target.node)) \(state)"
    }
}
