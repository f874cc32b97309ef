import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Folders and packages whose content moves out before they are deleted, and items then taking their names.
extension UserActions {
    /// `mv a/* b; rmdir a`. Some of the items are written on their way, and any of them, or `b`, may take the name.
    func dissolve(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard
            let folder = random.pick(
                try items { $0.kind == .folder && !$0.item.isWellKnown && !$0.isExcluded && !$0.isConflictSibling })
        else { throw Errno(ENOENT) }
        var story = ["dissolve \(try path(folder.node))"]
        let target = try destination(of: folder, &random, &story)
        let inside = try items { $0.parent == folder.node && !$0.isConflictSibling }
        var moved: [LocalItem] = []
        for item in inside {
            if item.isExcluded, item.kind != .folder {
                story.append(try unlink(item, &ledger))
                continue
            }
            guard try move(item, to: target, &random, &ledger), let now = try row(item) else { continue }
            story.append("\(item.name) goes to \(try path(now.node))")
            moved.append(now)
            guard now.kind == .file, !now.isExcluded, random.chance(30) else { continue }
            story.append(try overwrite(now, fresh(&random, &next), truncate: true, &ledger))
        }
        try device.files.removeFolder(folder.name.bytes, in: folder.parent)
        story.append("rmdir")
        guard random.chance(60) else { return story.joined(separator: ", ") }
        let heirs = try (moved.compactMap(row) + [row(target)].compactMap(\.self)).filter {
            !$0.item.isWellKnown && !$0.isExcluded
        }
        if let heir = random.pick(heirs) {
            try device.files.rename(
                heir.name.bytes, in: heir.parent, to: folder.name.bytes, in: folder.parent, mode: .noReplace)
            story.append("\(heir.name) takes its name")
        }
        return story.joined(separator: ", ")
    }

    /// Returns the folder for the content: a new folder, or any existing one outside.
    private func destination(
        of folder: LocalItem, _ random: inout SeededGenerator, _ story: inout [String]
    ) throws -> NodeID {
        if random.chance(50) {
            let made = try device.files.makeFolder(
                Array("new".utf8), in: folder.parent, permissions: 0o755, caller: caller)
            story.append("mkdir new")
            return made.node
        }
        let others = try device.metadata.read { transaction in
            try items { $0.kind == .folder && !$0.isExcluded }.filter {
                try !transaction.local.isInside($0.node, folder.node)
            }
        }
        return random.pick(others)?.node ?? folder.parent
    }

    /// Moves an item under its own or a different free name. Returns false if the name is taken.
    private func move(
        _ item: LocalItem, to folder: NodeID, _ random: inout SeededGenerator, _ ledger: inout Ledger
    ) throws -> Bool {
        let other = item.kind == .folder ? folderName(&random) : fileName(&random)
        let name = random.chance(60) ? "\(item.name)" : other
        guard try self.item(name, in: folder) == nil else { return false }
        if item.isExcluded { try excuseAll(below: item, &ledger) }
        let text = try content(of: item)
        try device.files.rename(item.name.bytes, in: item.parent, to: Array(name.utf8), in: folder, mode: .noReplace)
        // It takes the identity of a document with that name deleted a moment ago, and may be written before the next
        // look.
        if let text, let now = try row(item), now.item != item.item {
            ledger.rename(text, from: item.item, to: now.item)
        }
        return true
    }

    private func row(_ item: LocalItem) throws -> LocalItem? { try row(item.node) }

    private func row(_ node: NodeID) throws -> LocalItem? {
        try device.metadata.read { try $0.local.item(node) }
    }

    /// Replaces a package by a new one, like a program writing a whole new folder, and deletes the old package.
    func replacePackage(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard let package = random.pick(try items { $0.isPackage && !$0.isExcluded }) else { throw Errno(ENOENT) }
        let new = try device.files.makeFolder(
            Array("new".utf8), in: package.parent, permissions: 0o755, caller: caller)
        var story = ["mkdir new"]
        for _ in 0..<random.number(1..<3) {
            story.append(try save(name(&random), in: new.node, fresh(&random, &next), &ledger))
        }
        guard let made = try row(new.node) else { throw Errno(ENOENT) }
        story.append(try exchange(made, package, &ledger))
        // The node stays with its former files.
        if let old = try row(package) { story.append(try sweep(old, &ledger)) }
        return story.joined(separator: ", ")
    }
}
