import Basics
import CloudModel
import Commands
import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("docs/STATUS.md")
struct StatusDocumentTests {
    private static let text: String = {
        var file = URL(filePath: #filePath)
        for _ in 0..<3 { file.deleteLastPathComponent() }
        // If the document is absent it names no field, and the tests below fail.
        return (try? String(contentsOf: file.appending(path: "docs/STATUS.md"), encoding: .utf8)) ?? ""
    }()

    /// Returns the names of all fields, including nested ones.
    private func fields(of value: some Encodable) throws -> Set<String> {
        let text = String(decoding: try ControlFrame.payload(value), as: UTF8.self)
        return Set(text.matches(of: /"(\w+)":/).map { String($0.1) })
    }

    @Test("every field of a mount's and an item's JSON is explained")
    func fields() throws {
        var mount = MountStatus.sample()
        let failure = DaemonFailure(.failed, "m", path: "p", advice: "a", errno: 5)
        let path = try MountPath("a")
        mount.errors = [failure]
        mount.transfers = [TransferStatus(path: path, direction: .upload, completedBytes: 0, totalBytes: 1)]
        mount.cache = CacheStatus(bytes: 1, limit: 2)
        mount.rebuild = RebuildStatus(
            reason: "r", aside: "/a", folder: path, recovered: 1, keptAside: 1, summary: "s")
        mount.check = CheckStatus(stage: "s", completedBytes: 0, totalBytes: 1, problems: 0)
        mount.limits = LimitStatus(up: 1, down: 1)
        mount.metered = .wait
        mount.refusedPrograms = [RefusedProgram(program: "p", seconds: 1)]
        mount.work = WorkStatus(what: "w", completedItems: 0, totalItems: 1)
        let check = CheckResponse(
            checkedItems: 1, checkedBytes: 1, problems: [failure], problemCount: 1, repairs: [failure], repairCount: 1)
        var item = ItemStatus(
            path: path, kind: .file, state: DocumentState(isUploaded: true), itemID: "1", container: "c")
        for fact in DocumentFact.errors { item.setFailure(failure, for: fact) }
        item.conflictOf = path
        item.version = "1.0"
        item.device = "laptop"
        item.excludedBy = ItemStatus.ExcludingPattern(path: path, line: 1, pattern: "p")
        let side = ConflictSide(version: "1.0", path: path, device: "d", modified: WireTime(.zero), size: 1)
        let conflict = ConflictedItem(path: path, current: side, versions: [side])
        for name in try fields(of: mount).union(fields(of: item)).union(fields(of: conflict)).union(fields(of: check)) {
            #expect(Self.text.contains("`\(name)`"), "docs/STATUS.md does not explain \(name)")
        }
    }

    @Test("every exit status is explained", arguments: Commands.ExitStatus.allCases)
    func statuses(status: Commands.ExitStatus) { #expect(Self.text.contains("\n| \(status.rawValue) | ")) }
}
