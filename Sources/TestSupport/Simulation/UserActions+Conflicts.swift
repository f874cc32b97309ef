import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// What ends a conflict.
extension UserActions {
    /// Deletes a sibling, renames it, or renames it over its document.
    func gesture(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let sibling = random.pick(try items(where: \.isConflictSibling)), let conflict = sibling.conflict else {
            throw Errno(ENOENT, "no conflicts")
        }
        let path = try path(sibling.node)
        switch random.number(0..<4) {
        case 0: return "discard: " + (try unlink(sibling, &ledger))
        case 1, 2:
            let name = name(&random)
            let target = try item(name, in: sibling.parent)
            let (old, text) = (try content(of: target), try content(of: sibling))
            try device.files.rename(
                sibling.name.bytes, in: sibling.parent, to: Array(name.utf8), in: sibling.parent, mode: .replace)
            if old != text { ledger.supersede(old) }
            // It is a copy from now on: whoever replaces the version elsewhere does not mean this one.
            ledger.excuse(text)
            return "keep \(path) as \(name) over ‘\(old ?? "")’"
        default:
            let id = sibling.container
            guard let document = try device.metadata.read({ try $0.item(conflict.document, in: id) }) else {
                throw Errno(ENOENT)
            }
            let (old, text) = (try content(of: document), try content(of: sibling))
            try device.files.rename(
                sibling.name.bytes, in: sibling.parent, to: document.name.bytes, in: document.parent, mode: .replace)
            if old != text { ledger.supersede(old) }
            ledger.excuse(text)
            return "make \(path) current over ‘\(old ?? "")’"
        }
    }
}
