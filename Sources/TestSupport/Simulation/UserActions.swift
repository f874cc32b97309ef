import Basics
import Chunking
import CloudModel
import CloudStorage
import DeviceSupport
import Glibc
import LocalContent
import LocalMetadata
import TestSupport
import Transfers
import VirtualFileSystem

/// Program actions on a device: random operations on its visible items, recorded in the ledger as far as they succeed.
struct UserActions {
    let device: SimulatedDevice
    /// Whether every file is closed immediately.
    var isCalm = false
    var vocabulary = Vocabulary.usual
    /// The source devices for a user's file copies.
    var others: [SimulatedDevice] = []
    let caller = Caller(user: 1000, group: 1000)
    static let names = ["a.txt", "b.txt", "c", "d.md"]
    static let folders = ["c", "f", "g", "p.app"]
    static let excluded = ["a.txt~", "b.tmp"]

    /// Performs an action and returns its description. Errors visible to a program are part of the story.
    func act(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        device.time.advance(by: .milliseconds(random.number(1..<300)))
        var what = random.number(0..<vocabulary.actions)
        // An open file or a text read before would cause a conflict.
        if isCalm, 90..<98 ~= what || 154..<162 ~= what { what = 0 }
        do {
            switch what {
            case 0..<20: return try write(&random, &ledger, &next)
            case 20..<22: return try read(&random)
            case 22..<30: return try saveByRename(&random, &ledger, &next)
            case 30..<34: return try saveByDelete(&random, &ledger, &next)
            case 34..<42: return try unlink(&random, &ledger)
            case 42..<50: return try makeFolder(&random)
            case 50..<54: return try removeFolder(&random, &ledger)
            case 54..<70: return try rename(&random, &ledger)
            case 70..<73: return try exchange(&random, &ledger)
            case 73..<76: return try link(&random, &next)
            case 76..<80: return try attributes(&random)
            case 80..<83: return try extended(&random, &next)
            case 83..<85: return try truncate(&random, &ledger)
            case 85..<90: return try gesture(&random, &ledger, &next)
            case 90..<94: return try begin(&random, &ledger, &next)
            case 94..<98: return try end(&random, &ledger, &next)
            case 98..<100: return try pin(&random)
            case 100..<114: return try copy(&random, &ledger, &next)
            case 114..<118: return try copyAcross(&random, &ledger, &next)
            case 118..<122: return try renameOver(&random, &ledger)
            case 122..<126: return try swapKind(&random, &ledger, &next)
            case 126..<130: return try saveByTakenName(&random, &ledger, &next)
            case 130..<133: return try exchangeFiles(&random, &ledger)
            case 133..<137: return try nestPackage(&random, &ledger, &next)
            case 137..<140: return try changeSibling(&random)
            case 140..<150: return try dissolve(&random, &ledger, &next)
            case 150..<154: return try replacePackage(&random, &ledger, &next)
            case 154..<162: return try saveStale(&random, &ledger, &next)
            case 162..<171: return try respell(&random, &ledger)
            case 171..<175: return try saveRespelled(&random, &ledger, &next)
            case 175..<180: return try takeSpelling(&random, &ledger, &next)
            default: return try switchCase()
            }
        } catch { return "(\(what)) \(try Self.text(of: error))" }
    }

    /// Returns whether a text returned by ``act(_:_:_:)`` is an error.
    static func isError(_ text: String) -> Bool { text.hasPrefix("(") }

    /// Returns the text of an error visible to a program. Rethrows any other error.
    static func text(of error: any Error) throws -> String {
        switch error {
        case let error as Errno: return "\(error)"
        case let error as MetadataError where error.code == .noSpace || error.code == .unusable: return error.message
        case is ChunkError: return "damaged in the cloud"
        case let error as CloudError where error.code == .notFound: return "gone from the cloud"
        default: throw error
        }
    }

    /// Runs `body` and then records its `outcome`, also if a fault struck in the middle, as the operation may then be done.
    func attempt<T>(_ ledger: inout Ledger, _ outcome: (inout Ledger) -> Void, _ body: () throws -> T) throws -> T {
        do {
            let result = try body()
            outcome(&ledger)
            return result
        } catch {
            if device.faults.hasStruck { outcome(&ledger) }
            throw error
        }
    }

    /// Creates a few files and a folder.
    func populate(_ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let root = try device.container().node
        guard let documents = try item("Documents", in: root) else { throw Errno(ENOENT) }
        let folder = try device.files.makeFolder(
            Array("f".utf8), in: documents.node, permissions: 0o755, caller: caller)
        for (name, parent) in [("a.txt", documents.node), ("c", documents.node), ("b.txt", folder.node)] {
            next += 1
            try save(name, in: parent, "\(next)", &ledger)
        }
        return "make Documents/f, a.txt ‘1’, c ‘2’, f/b.txt ‘3’"
    }

    // MARK: Places

    func items(where condition: (LocalItem) -> Bool) throws -> [LocalItem] {
        let root = device.root
        return try device.metadata.read { transaction in
            guard let item = try transaction.local.item(root) else { return [] }
            var found: [LocalItem] = []
            try transaction.local.forEach(below: item) { if condition($0), $0.node != root { found.append($0) } }
            return found
        }
    }

    func file(_ random: inout SeededGenerator) throws -> LocalItem {
        guard let item = random.pick(try items { $0.kind == .file && !$0.isConflictSibling }) else {
            throw Errno(ENOENT)
        }
        return item
    }

    func folder(_ random: inout SeededGenerator) throws -> NodeID {
        random.pick(try items { $0.kind == .folder })?.node ?? .root
    }

    func name(_ random: inout SeededGenerator) -> String {
        random.chance(5) ? random.pick(Self.excluded) ?? "" : fileName(&random)
    }

    func fileName(_ random: inout SeededGenerator) -> String { spelled(random.pick(fileNames) ?? "", &random) }

    func folderName(_ random: inout SeededGenerator) -> String { spelled(random.pick(Self.folders) ?? "", &random) }

    func item(_ name: String, in folder: NodeID) throws -> LocalItem? {
        try device.metadata.read { try $0.local.item(named: try ItemName(name), in: folder) }
    }

    func path(_ node: NodeID) throws -> String {
        try device.files.path(of: node).dropFirst().map(\.description).joined(separator: "/")
    }

    /// Returns the text shown by the file; nil for an empty file. The user has seen it from now on.
    func content(of item: LocalItem?) throws -> String? {
        guard let item, item.kind == .file else { return nil }
        device.files.noteSeen(item)
        return try shownText(of: item)
    }

    /// Returns the same without a user's knowledge.
    func shownText(of item: LocalItem) throws -> String? {
        let text = try device.text(of: item)
        if text == Snapshot.unreadable, let bytes = item.content.flatMap({ device.cloud.formerContents[$0] }) {
            // The cloud went back, and may have the bytes again later: a person deleting the document deletes them too.
            return String(decoding: bytes, as: UTF8.self)
        }
        return text.isEmpty ? nil : text
    }
}
