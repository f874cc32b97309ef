import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Actions that deliberately use existing names.
extension UserActions {
    /// Renames a document over an existing one.
    func renameOver(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        try rename(file(&random), over: file(&random), &ledger)
    }

    func rename(_ source: LocalItem, over target: LocalItem, _ ledger: inout Ledger) throws -> String {
        guard source.node != target.node, !target.isExcluded, !source.isExcluded else { throw Errno(EEXIST) }
        let paths = (try path(source.node), try path(target.node))
        let (moved, old, place) = (try content(of: source), try content(of: target), place(of: target))
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            old == moved ? $0.leave(old, at: place) : $0.supersede(old, at: place)
        } _: {
            try device.files.rename(
                source.name.bytes, in: source.parent, to: target.name.bytes, in: target.parent, mode: .replace)
        }
        return "rename \(paths.0) ‘\(moved ?? "")’ to \(paths.1) over ‘\(old ?? "")’"
    }

    /// Replaces a file by a folder, or a folder by a file.
    func swapKind(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard
            let target = random.pick(
                try items { !$0.isConflictSibling && !$0.item.isWellKnown && !$0.isExcluded && $0.kind != .symlink })
        else { throw Errno(ENOENT) }
        let (name, text) = ("\(target.name)", fresh(&random, &next))
        if target.kind == .folder {
            let swept = try sweep(target, &ledger)
            return "\(swept), then \(try save(name, in: target.parent, text, &ledger))"
        }
        let gone = try unlink(target, &ledger)
        let folder = try device.files.makeFolder(
            target.name.bytes, in: target.parent, permissions: 0o755, caller: caller)
        let inside = random.chance(50) ? ", \(try save(self.name(&random), in: folder.node, text, &ledger))" : ""
        return "\(gone), then mkdir there\(inside)"
    }

    /// Saves by renaming from the name of a local or remote document, or from a device-only name.
    func saveByTakenName(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let target = try file(&random)
        let temporary = spelled(random.pick(fileNames + Self.excluded) ?? "", &random)
        guard temporary != "\(target.name)" else { throw Errno(EEXIST) }
        if let taken = try item(temporary, in: target.parent) {
            guard taken.kind == .file, !taken.isConflictSibling else { throw Errno(EISDIR) }
        }
        return try replace(target, by: temporary, fresh(&random, &next), &ledger)
    }

    func exchangeFiles(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        let (one, two) = (try file(&random), try file(&random))
        guard one.node != two.node, !one.isExcluded, !two.isExcluded else { throw Errno(EINVAL) }
        return try exchange(one, two, &ledger)
    }

    /// Creates a package in a folder, often in an existing package, with a file in it.
    func nestPackage(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let packages = try items(where: \.isPackage)
        let parent = random.chance(60) ? random.pick(packages)?.node : nil
        let folder = try parent ?? folder(&random)
        let name = spelled(random.pick(["p.app", "q.app"]) ?? "", &random)
        let existing = try item(name, in: folder)
        let package = try existing?.node ?? makePackage(name, in: folder)
        return "in a package: " + (try save(self.name(&random), in: package, fresh(&random, &next), &ledger))
    }

    private func makePackage(_ name: String, in folder: NodeID) throws -> NodeID {
        try device.files.makeFolder(Array(name.utf8), in: folder, permissions: 0o755, caller: caller).node
    }

    /// Tries to change a sibling. This must be refused, as writes are: a sibling is a view of a version, and a change of it would stay on
    /// this device.
    func changeSibling(_ random: inout SeededGenerator) throws -> String {
        guard let sibling = random.pick(try items(where: \.isConflictSibling)) else { throw Errno(ENOENT) }
        let (path, isMode) = (try path(sibling.node), random.chance(50))
        do {
            if isMode {
                var request = AttributeRequest()
                request.permissions = 0o600
                _ = try device.files.setAttributes(of: sibling.node, request)
            } else {
                try device.files.setExtendedAttribute("user.x", to: [1], of: sibling.node, mode: .any)
            }
        } catch let error as Errno {
            guard error.code == EACCES else { throw error }
            return "change \(path) is refused"
        }
        throw BrokenRule(what: "attributes of \(path), a conflict version, could be changed")
    }
}
