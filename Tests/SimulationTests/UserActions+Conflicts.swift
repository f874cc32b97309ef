import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import Transfers
import VirtualFileSystem

extension UserActions {
    // MARK: Conflicts

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

    // MARK: Files that stay open

    func begin(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let target = try file(&random)
        let path = try path(target.node)
        let canWrite = random.chance(70)
        if !target.isMaterialised {
            guard device.isOnline else { return "can not fetch \(path)" }
            try device.materialise(target)
        }
        let handle = try device.files.open(target.node, canWrite: canWrite, truncate: false)
        device.parts.handles.append((handle, path))
        guard canWrite, random.chance(60) else { return "open \(path) \(canWrite ? "to write" : "to read")" }
        return "open and " + (try writeOpen(handle, path, fresh(&random, &next), &ledger))
    }

    func end(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard !device.parts.handles.isEmpty else { throw Errno(EBADF, "nothing is open") }
        let index = random.number(0..<device.parts.handles.count)
        let (handle, path) = device.parts.handles[index]
        if handle.canWrite, random.chance(40) { return try writeOpen(handle, path, fresh(&random, &next), &ledger) }
        device.parts.handles.remove(at: index)
        device.files.release(handle)
        return "close \(path)"
    }

    func writeOpen(_ handle: OpenHandle, _ path: String, _ text: String, _ ledger: inout Ledger) throws
        -> String
    {
        let isNamed = try device.files.attributes(of: handle.file.node).links > 0
        let row = try device.metadata.read { try $0.item(handle.file.node) }
        let old = isNamed ? try content(of: row) : nil
        try device.files.withDescriptor(handle) { _ = ftruncate($0, 0) }
        try put(text, handle)
        guard isNamed else { return "write to \(path), which has no name, ‘\(text)’" }
        ledger.supersede(old == text ? nil : old)
        ledger.write(text)
        if row?.isExcluded == true { ledger.excuse(text) }
        return "write open \(path) ‘\(text)’ over ‘\(old ?? "")’"
    }
}
