import Basics
import CloudModel
import DeviceSupport
import Foundation
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Names differing only in case or composition, and the switch making them equal.
extension UserActions {
    /// File names before variations in spelling: without case, `ß` is `SS`, and `é` may be one character or two.
    var fileNames: [String] { vocabulary.ignoresCase ? Self.names + ["\u{E9}.txt", "\u{DF}"] : Self.names }

    /// Returns a spelling of the name, where users spell names in several ways.
    func spelled(_ name: String, _ random: inout SeededGenerator) -> String {
        guard vocabulary.ignoresCase, random.chance(60) else { return name }
        return otherSpelling(of: name, &random) ?? name
    }

    /// Returns a name with the same meaning but a different spelling; nil if there is none.
    private func otherSpelling(of name: String, _ random: inout SeededGenerator) -> String? {
        let spellings = [
            name.uppercased(), name.lowercased(), name.prefix(1).uppercased() + name.dropFirst(),
            name.decomposedStringWithCanonicalMapping, name.precomposedStringWithCanonicalMapping,
        ]
        // By their bytes: the strings may be equal.
        return random.pick(spellings.filter { !$0.utf8.elementsEqual(name.utf8) })
    }

    private var ignoresCase: Bool {
        get throws {
            let container = try device.container().id
            return try device.metadata.read { try $0.local.foldsNames(in: container) }
        }
    }

    // MARK: Actions

    /// Renames an item to a different spelling of its own name.
    func respell(_ random: inout SeededGenerator, _ ledger: inout Ledger) throws -> String {
        guard let source = random.pick(try items { !$0.isConflictSibling && !$0.item.isWellKnown }),
            let name = otherSpelling(of: "\(source.name)", &random)
        else { throw Errno(ENOENT) }
        return try rename(source, to: name, in: source.parent, random.chance(50) ? .replace : .noReplace, &ledger)
    }

    /// Deletes a document and creates a new one with the same name in a different spelling.
    func saveRespelled(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let target = try file(&random)
        guard let name = otherSpelling(of: "\(target.name)", &random) else { throw Errno(ENOENT) }
        let gone = try unlink(target, &ledger)
        return "\(gone), then \(try save(name, in: target.parent, fresh(&random, &next), &ledger))"
    }

    /// Tries to take a different spelling of a name. This must be refused where names are compared without case.
    func takeSpelling(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        guard let taken = random.pick(try items { _ in true }), let name = otherSpelling(of: "\(taken.name)", &random)
        else { throw Errno(ENOENT) }
        let isRefused = try ignoresCase && item(name, in: taken.parent) == nil
        let outcome = try take(name, in: taken.parent, besides: taken.node, &random, &ledger, &next)
        guard !isRefused else { throw BrokenRule(what: "\(outcome), beside \(taken.name)") }
        return outcome
    }

    /// Takes a name in any of the ways in which an item gets a name.
    func take(
        _ name: String, in folder: NodeID, besides node: NodeID? = nil, _ random: inout SeededGenerator,
        _ ledger: inout Ledger, _ next: inout Int
    ) throws -> String {
        switch random.number(0..<5) {
        case 0, 1: return try save(name, in: folder, fresh(&random, &next), &ledger)
        case 2:
            _ = try device.files.makeFolder(Array(name.utf8), in: folder, permissions: 0o755, caller: caller)
            return "mkdir \(try path(folder))/\(name)"
        case 3:
            _ = try device.files.makeSymlink(Array(name.utf8), in: folder, target: Array("t".utf8), caller: caller)
            return "link \(try path(folder))/\(name)"
        default:
            let sources = try items { !$0.isConflictSibling && !$0.item.isWellKnown && $0.node != node }
            guard let source = random.pick(sources) else { throw Errno(ENOENT) }
            return try rename(source, to: name, in: folder, .replace, &ledger)
        }
    }

    /// Switches how names are compared, as the daemon does: while the container is empty as far as this device knows.
    func switchCase() throws -> String {
        let (container, folds) = (try device.container().id, try !ignoresCase)
        guard try device.metadata.read({ try $0.isEmpty(container) }) else { throw Errno(ENOTEMPTY) }
        try device.files.setFoldsNames(folds, in: container)
        try device.metadata.makeDurable()
        return folds ? "ignore case" : "match case"
    }
}
