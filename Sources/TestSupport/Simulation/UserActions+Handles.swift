import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// Files that stay open.
extension UserActions {
    func begin(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let target = try file(&random)
        let path = try path(target.node)
        let canWrite = random.chance(70)
        if !target.isMaterialised {
            guard device.isOnline else { return "cannot fetch \(path)" }
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
        let row = try device.metadata.read { try $0.local.item(handle.file.node) }
        let (old, place) = (isNamed ? try content(of: row) : nil, place(of: row))
        try attempt(&ledger) { ledger in
            guard isNamed else {
                ledger.nameless.insert(text)
                return
            }
            ledger.supersede(old == text ? nil : old, at: place)
            ledger.write(text)
        } _: {
            try empty(handle)
            try put(text, handle)
        }
        guard isNamed else { return "write to \(path), which has no name, ‘\(text)’" }
        if row?.isExcluded == true { ledger.excuse(text) }
        return "write open \(path) ‘\(text)’ over ‘\(old ?? "")’"
    }
}
