import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Copies: the only way for two documents to get the same content.
extension UserActions {
    /// `cp`, often over another document; sometimes the source or the copy is edited or deleted afterwards.
    func copy(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let source = try file(&random)
        guard let text = try content(of: source), text != Snapshot.unreadable else { throw Errno(ENODATA) }
        let (name, folder) = try target(&random)
        let copied = try write(text, from: source.item, to: name, in: folder, &ledger)
        let path = try path(source.node)
        let after = try then(source, name, folder, &random, &ledger, &next)
        return "copy \(path) ‘\(text)’ to \(copied)" + (after.map { "; \($0)" } ?? "")
    }

    /// `cp SOURCE TARGET`, and then the source is written.
    func backUp(_ source: LocalItem, over target: LocalItem, _ text: String, _ ledger: inout Ledger) throws -> String {
        guard let old = try content(of: source), old != Snapshot.unreadable else { throw Errno(ENODATA) }
        let copied = try write(old, from: source.item, to: "\(target.name)", in: target.parent, &ledger)
        device.time.advance(by: .milliseconds(20))
        return "copy ‘\(old)’ to \(copied); " + (try overwrite(source, text, truncate: true, &ledger))
    }

    private func target(_ random: inout SeededGenerator) throws -> (String, NodeID) {
        if random.chance(50), let other = try? file(&random) { return ("\(other.name)", other.parent) }
        let folder = try folder(&random)
        return (name(&random), folder)
    }

    private func then(
        _ source: LocalItem, _ name: String, _ folder: NodeID, _ random: inout SeededGenerator,
        _ ledger: inout Ledger, _ next: inout Int
    ) throws -> String? {
        let what = random.number(0..<8)
        device.time.advance(by: .milliseconds(random.number(1..<600)))
        switch what {
        case 0, 1: return try overwrite(source, fresh(&random, &next), truncate: true, &ledger)
        case 2:
            guard let copy = try item(name, in: folder) else { return nil }
            return try overwrite(copy, fresh(&random, &next), truncate: true, &ledger)
        // A move by hand.
        case 3: return try unlink(source, &ledger)
        default: return nil
        }
    }

    /// Copies a file of a different device to this one by hand: two devices create the same bytes.
    func copyAcross(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard let other = random.pick(others) else { throw Errno(ENODEV) }
        let user = UserActions(device: other)
        let source = try user.file(&random)
        guard let text = try user.content(of: source), text != Snapshot.unreadable else { throw Errno(ENODATA) }
        // Mostly to the same path as on the source device, as when two devices unpack the same archive.
        let path = try user.path(source.node)
        let (name, folder) = random.chance(60) ? try same(path) : try target(&random)
        return "bring \(path) ‘\(text)’ from \(other.name) as "
            + (try write(text, from: source.item, to: name, in: folder, &ledger))
    }

    private func same(_ path: String) throws -> (String, NodeID) {
        var names = path.split(separator: "/").dropFirst().map(String.init)
        guard let name = names.popLast() else { throw Errno(ENOENT) }
        var folder = device.root
        for name in names {
            guard let next = try item(name, in: folder), next.kind == .folder else { throw Errno(ENOENT) }
            folder = next.node
        }
        return (name, folder)
    }

    /// `open(O_CREAT | O_TRUNC)`, `write`, `close` of an existing file's content.
    func write(
        _ text: String, from source: ItemID, to name: String, in folder: NodeID, _ ledger: inout Ledger
    ) throws -> String {
        let path = "\(try path(folder))/\(name)"
        let old = try item(name, in: folder)
        guard old.map({ $0.kind == .file && $0.item != source && !$0.isConflictSibling }) ?? true else {
            throw Errno(EEXIST)
        }
        let replaced = try content(of: old)
        guard replaced != text else { throw Errno(EEXIST) }
        let place = place(of: old)
        let handle = try attempt(&ledger) {
            noteEmptied(replaced, at: place, &$0)
        } _: {
            guard let old else {
                return try device.files.create(
                    Array(name.utf8), in: folder, permissions: 0o644, caller: caller
                ).handle
            }
            return try device.files.open(old.node, canWrite: true, truncate: true)
        }
        defer { device.files.release(handle) }
        guard try device.files.isWritable(handle) else { throw Errno(EAGAIN) }
        // After an interruption a part of an existing content may be there as well.
        try attempt(&ledger) {
            if device.faults.hasStruck { $0.excuse(text) }
        } _: {
            try put(text, handle)
        }
        guard let copy = try item(name, in: folder) else { throw Errno(ENOENT) }
        ledger.copy(text, from: source, to: copy.item)
        if copy.isExcluded { ledger.excuse(text) }
        return path + (replaced.map { " over ‘\($0)’" } ?? "")
    }

    /// Returns the place of a content, as far as this device knows.
    func place(of item: LocalItem?) -> Ledger.Place? {
        guard let item else { return nil }
        let (metadata, container) = (device.metadata, item.container)
        return Ledger.Place(item: item.conflict?.document ?? item.item, row: item.item) { id in
            (try? metadata.read { try $0.remote(in: container).standingID(for: id) }) ?? id
        }
    }
}

extension RemoteTree {
    /// Returns the item for an id.
    func standingID(for id: ItemID) throws -> ItemID {
        var current = id
        // Corrupt rows may form a cycle; no valid chain is as long.
        for _ in 0..<4096 {
            guard let next = try alias(of: current) else { break }
            current = next
        }
        return current
    }
}
