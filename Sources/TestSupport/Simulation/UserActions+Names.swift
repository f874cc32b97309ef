import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// Folders and names.
extension UserActions {
    func makeFolder(_ random: inout SeededGenerator) throws -> String {
        let parent = try folder(&random)
        let name = folderName(&random)
        _ = try device.files.makeFolder(Array(name.utf8), in: parent, permissions: 0o755, caller: caller)
        return "mkdir \(try path(parent))/\(name)"
    }

    /// `rmdir`, or `rm -r` with everything inside.
    func removeFolder(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let target = random.pick(try items { $0.kind == .folder && !$0.item.isWellKnown }) else {
            throw Errno(ENOENT)
        }
        let path = try path(target.node)
        guard random.chance(60) else {
            try device.files.removeFolder(target.name.bytes, in: target.parent)
            return "rmdir \(path)"
        }
        return try sweep(target, &ledger)
    }

    func sweep(_ target: LocalItem, _ ledger: inout Ledger) throws -> String {
        let path = try path(target.node)
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in try transaction.local.forEach(below: target) { inside.append($0) } }
        for item in inside where item.kind != .folder { _ = try unlink(item, &ledger) }
        for item in inside.filter({ $0.kind == .folder }).reversed() {
            // Deepest first: a nonempty folder is not removed, as by rm.
            if (try? device.files.removeFolder(item.name.bytes, in: item.parent)) == nil { continue }
        }
        for _ in 0..<4 { try? sweepFolders(below: target) }
        return "rm -r \(path)"
    }

    func sweepFolders(below target: LocalItem) throws {
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in
            guard let target = try transaction.local.item(target.node) else { return }
            try transaction.local.forEach(below: target) { inside.append($0) }
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
        let name = source.kind == .folder && random.chance(70) ? folderName(&random) : name(&random)
        return try rename(source, to: name, in: parent, random.chance(80) ? .replace : .noReplace, &ledger)
    }

    func rename(
        _ source: LocalItem, to name: String, in parent: NodeID, _ mode: RenameMode, _ ledger: inout Ledger
    ) throws -> String {
        let target = try item(name, in: parent)
        let from = try path(source.node)
        let moved = try content(of: source)
        let (old, place) = (try content(of: target), place(of: target))
        // Patterns such as *~ also exclude alternative spellings.
        let staysHere =
            try Self.excluded.contains(name.lowercased())
            || device.metadata.read { try $0.local.item(parent)?.isExcluded } == true
        if staysHere || source.isExcluded { try excuseAll(below: source, &ledger) }
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            guard target?.node != source.node else { return }
            old == moved ? $0.leave(old, at: place) : $0.supersede(old, at: place)
        } _: {
            try device.files.rename(
                source.name.bytes, in: source.parent, to: Array(name.utf8), in: parent, mode: mode)
        }
        return "rename \(from) to \(try path(parent))/\(name)" + (target == nil ? "" : " over ‘\(old ?? "")’")
    }

    /// Excuses the contents below an item: contents excluded from sync may be gone elsewhere and come back with a rename, so nothing can be
    /// claimed about them.
    func excuseAll(below item: LocalItem, _ ledger: inout Ledger) throws {
        var inside: [LocalItem] = []
        try device.metadata.read { transaction in
            guard let item = try transaction.local.item(item.node) else { return }
            try transaction.local.forEach(below: item) { inside.append($0) }
        }
        for item in inside + [item] { ledger.excuse(try content(of: item)) }
    }

    func exchange(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        let all = try items { !$0.isConflictSibling && !$0.item.isWellKnown && !$0.isExcluded }
        guard let one = random.pick(all), let two = random.pick(all) else { throw Errno(ENOENT) }
        return try exchange(one, two, &ledger)
    }

    func exchange(_ one: LocalItem, _ two: LocalItem, _ ledger: inout Ledger) throws -> String {
        let paths = (try path(one.node), try path(two.node))
        // A new file takes a document's identity together with its name: the document's content is then a copy under
        // the exchanged name.
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
}
