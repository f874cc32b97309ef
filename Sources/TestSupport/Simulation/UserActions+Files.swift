import Basics
import Chunking
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Sync
import TestSupport
import Transfers
import VirtualFileSystem

/// Actions on the bytes of files.
extension UserActions {
    func fresh(_ random: inout SeededGenerator, _ next: inout Int) -> String {
        if random.chance(8) { return "same \(random.number(0..<2))" }
        next += 1
        return "\(next) by \(device.identity.current.value)" + String(repeating: ".", count: random.number(0..<4))
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
        try attempt(&ledger) {
            $0.write(text)
        } _: {
            let (_, handle) = try device.files.create(Array(name.utf8), in: folder, permissions: 0o644, caller: caller)
            defer { device.files.release(handle) }
            try put(text, handle)
        }
        noteSync(text, &ledger)
        return "create \(try path(folder))/\(name) ‘\(text)’"
    }

    func overwrite(_ item: LocalItem, _ text: String, truncate: Bool, _ ledger: inout Ledger) throws -> String {
        let path = try path(item.node)
        let old = try content(of: item)
        if !truncate, !item.isMaterialised {
            guard device.isOnline else { return "cannot fetch \(path)" }
            try device.materialise(item)
        }
        let place = place(of: item)
        let handle = try attempt(&ledger) {
            noteEmptied(truncate ? old : nil, at: place, &$0)
        } _: {
            try device.files.open(item.node, canWrite: true, truncate: truncate)
        }
        defer { device.files.release(handle) }
        guard try device.files.isWritable(handle) else { return "\(path) is not here" }
        try attempt(&ledger) { ledger in
            ledger.supersede(old == text ? nil : old, at: place)
            ledger.write(text)
        } _: {
            try empty(handle)
            try put(text, handle)
        }
        noteSync(text, &ledger)
        return "write \(path) ‘\(text)’ over ‘\(old ?? "")’"
    }

    /// Records that `open` empties a file. If the device dies after the record of this edit and before its bytes are
    /// gone, the content becomes the edit, beside a newer content unseen by the device.
    func noteEmptied(_ content: String?, at place: Ledger.Place?, _ ledger: inout Ledger) {
        ledger.supersede(content, at: place)
        if device.faults.hasStruck { ledger.excuse(content) }
    }

    /// Returns whether the program syncs its writes, as some programs do.
    private func isSynced(_ text: String) -> Bool { text.utf8.reduce(0) { $0 + Int($1) } % 3 == 0 }

    private func noteSync(_ text: String, _ ledger: inout Ledger) { if isSynced(text) { ledger.sync(text) } }

    func empty(_ handle: OpenHandle) throws {
        try device.files.withDescriptor(handle) { _ = ftruncate($0, 0) }
        try stamp(handle)
    }

    /// Sets the file's time to this device's clock, in case the device dies before the next call; the file would otherwise have the real
    /// clock's time.
    private func stamp(_ handle: OpenHandle) throws {
        let now = device.time.now().adding(.microseconds(5))
        try device.files.withDescriptor(handle) { try setModified(now, descriptor: $0) }
    }

    /// Writes as the kernel does, with this device's clock as the disk's.
    func put(_ text: String, _ handle: OpenHandle) throws {
        let bytes = Array(text.utf8), middle = bytes.count / 2
        _ = try bytes.withUnsafeBytes { try device.files.write(.init(rebasing: $0[..<middle]), at: 0, in: handle) }
        try stamp(handle)
        try device.faults.pass(.write)
        _ = try bytes.withUnsafeBytes {
            try device.files.write(.init(rebasing: $0[middle...]), at: UInt64(middle), in: handle)
        }
        device.time.advance(by: .microseconds(10))
        try device.files.withDescriptor(handle) { try setModified(device.time.now(), descriptor: $0) }
        if isSynced(text) { try device.files.sync(handle) }
    }

    func saveByRename(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws
        -> String
    {
        let temporary = random.pick(["new.txt", "new.txt~", "zz.tmp"]) ?? ""
        return try replace(file(&random), by: temporary, fresh(&random, &next), &ledger)
    }

    /// Writes a new file and renames it over an existing file, as editors save.
    func replace(_ target: LocalItem, by temporary: String, _ text: String, _ ledger: inout Ledger) throws -> String {
        let path = try path(target.node)
        try save(temporary, in: target.parent, text, &ledger)
        let (old, place) = (try content(of: target), place(of: target))
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            $0.supersede(old == text ? nil : old, at: place)
        } _: {
            try device.files.rename(
                Array(temporary.utf8), in: target.parent, to: target.name.bytes, in: target.parent, mode: .replace)
        }
        return "save \(path) by renaming \(temporary) ‘\(text)’ over ‘\(old ?? "")’"
    }

    func saveByDelete(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws
        -> String
    {
        let target = try file(&random)
        let path = try path(target.node)
        let (old, place) = (try content(of: target), place(of: target))
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            $0.supersede(old, at: place)
        } _: {
            try device.files.removeFile(target.name.bytes, in: target.parent)
        }
        let text = fresh(&random, &next)
        try save(target.name.description, in: target.parent, text, &ledger)
        return "save \(path) by deleting ‘\(old ?? "")’, then ‘\(text)’"
    }

    /// Reads a whole file, downloading it if it is not local: exactly one version's bytes, or an error.
    func read(_ random: inout SeededGenerator) throws -> String {
        guard let target = random.pick(try items { $0.kind == .file }) else { throw Errno(ENOENT) }
        let path = try path(target.node)
        if !target.isMaterialised {
            guard device.isOnline else { return "cannot fetch \(path)" }
            try device.materialise(target)
        }
        let handle = try device.files.open(target.node, canWrite: false, truncate: false)
        defer { device.files.release(handle) }
        let bytes = try device.files.withDescriptor(handle) { try SimulatedDevice.bytes(of: $0) }
        guard let reference = target.content, !target.isWriting else { return "read \(path)" }
        // A file with an unrecorded state stays open, and its bytes do not come: a read in a mount would wait for them.
        guard try device.files.isWritable(handle) else { return "\(path) is not here" }
        guard device.cloud.formerContents[reference] == bytes else {
            throw BrokenRule(what: "\(path) was read as ‘\(String(decoding: bytes, as: UTF8.self))’")
        }
        return "read \(path)"
    }

    func truncate(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        let target = try file(&random)
        let (old, place) = (try content(of: target), place(of: target))
        var request = AttributeRequest()
        request.size = 0
        _ = try attempt(&ledger) {
            $0.supersede(old, at: place)
        } _: {
            try device.files.setAttributes(of: target.node, request)
        }
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
        let (old, place) = (try content(of: target), place(of: target))
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            $0.supersede(old, at: place)
        } _: {
            try device.files.removeFile(target.name.bytes, in: target.parent)
        }
        return "unlink \(path) ‘\(old ?? "")’"
    }
}
