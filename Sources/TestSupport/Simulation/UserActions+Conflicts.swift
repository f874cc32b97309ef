import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// Actions on conflicts: all ways to end a conflict, and all attempts on a sibling.
extension UserActions {
    func gesture(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard let sibling = random.pick(try items(where: \.isConflictSibling)), let conflict = sibling.conflict else {
            throw Errno(ENOENT, "no conflicts")
        }
        let document = try device.metadata.read { try $0.local.item(conflict.document, in: sibling.container) }
        switch random.number(0..<8) {
        case 0: return "discard: " + (try unlink(sibling, &ledger))
        case 1: return try keep(sibling, as: name(&random), in: sibling.parent, &ledger)
        case 2: return try keep(sibling, as: name(&random), in: folder(&random), &ledger)
        case 3:
            guard let document else { throw Errno(ENOENT) }
            return "make current: " + (try keep(sibling, as: "\(document.name)", in: document.parent, &ledger))
        case 4:
            let discarded = try discardAll(of: conflict.document, in: sibling.container, &ledger)
            return "keep the current: \(discarded)"
        case 5:
            let text = fresh(&random, &next)
            return "over a sibling: " + (try replace(sibling, by: "new.txt", text, &ledger))
        case 6: return try writeInto(sibling)
        default:
            guard let document else { throw Errno(ENOENT) }
            return "of a document in conflict: " + (try unlink(document, &ledger))
        }
    }

    /// Renames a sibling, which becomes a separate document, or the current content of a document whose name it takes.
    private func keep(_ sibling: LocalItem, as name: String, in folder: NodeID, _ ledger: inout Ledger) throws -> String
    {
        let path = try path(sibling.node)
        let target = try item(name, in: folder)
        let (old, text, place) = (try content(of: target), try content(of: sibling), place(of: target))
        // From now on it is a copy: a remote replacement of the version does not replace this copy.
        ledger.excuse(text)
        try excuseVersion(shownBy: target, &ledger)
        try attempt(&ledger) {
            $0.supersede(old == text ? nil : old, at: place)
        } _: {
            try device.files.rename(
                sibling.name.bytes, in: sibling.parent, to: Array(name.utf8), in: folder, mode: .replace)
        }
        return "keep \(path) as \(try self.path(folder))/\(name) over ‘\(old ?? "")’"
    }

    /// Excuses the content of a document also shown by a version in conflict, because the newer content has not been
    /// downloaded: a user deleting the document may mean that version. The device keeps it, unless an edit takes the
    /// document's place. It also keeps a version replaced by the document's unsent edit.
    func excuseVersion(shownBy document: LocalItem?, _ ledger: inout Ledger) throws {
        guard let document, document.kind == .file, !document.isConflictSibling else { return }
        let text = try shownText(of: document)
        let versions = try device.metadata.read { try $0.local.siblings(of: document.item, in: document.container) }
        for version in try versions.map(shownText) {
            if version == text { ledger.excuse(text) } else { ledger.excuseIfGone(version) }
        }
    }

    private func discardAll(of document: ItemID, in container: ContainerID, _ ledger: inout Ledger) throws -> String {
        let siblings = try device.metadata.read { try $0.local.siblings(of: document, in: container) }
        return try siblings.map { try unlink($0, &ledger) }.joined(separator: ", ")
    }

    /// Tries to write to a sibling, which must be refused: a sibling is a view of a version.
    private func writeInto(_ sibling: LocalItem) throws -> String {
        let path = try path(sibling.node)
        do { _ = try device.files.open(sibling.node, canWrite: true, truncate: false) } catch let error as Errno {
            guard error.code == EACCES || error.code == EAGAIN else { throw error }
            return "write into \(path) is refused"
        }
        throw BrokenRule(what: "\(path), a conflict version, could be opened to write")
    }
}

/// A violated invariant.
struct BrokenRule: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
