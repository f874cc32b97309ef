import Basics
import CloudModel
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// Attributes.
extension UserActions {
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
