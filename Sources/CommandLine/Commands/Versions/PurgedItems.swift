import Basics
import DaemonProtocol

/// Deleted items to remove permanently.
struct PurgedItems {
    let path: String?
    let olderThan: Int64?
    let json: Bool

    private struct Document: Encodable {
        let format = 1
        let items: UInt64
        let bytes: UInt64
        let unsent: UInt64
    }

    /// - Throws: `CommandFailure` if the user does not confirm, or if items stay because their deletion is not in the cloud.
    func remove(asking asks: Bool) throws {
        let groups = try MountSelection(path.map { [$0] } ?? [], .current()).groups
        var found = PurgeSum()
        // Later deletions were not counted in the question, and stay.
        var requests: [(record: MountRecord, request: PurgeDeletedRequest)] = []
        for group in groups {
            var connection = try DaemonConnection.open(group.record)
            let path = group.paths.first ?? .root
            let age = olderThan.map { UInt64(clamping: $0) }
            let answer = try connection.call(PurgeDeletedRequest(path: path, olderThan: age, dryRun: true))
            found.add(answer)
            requests.append((group.record, PurgeDeletedRequest(path: path, olderThan: age, until: answer.until)))
        }
        guard found.items > 0 else { return try report(found) }
        guard !asks || Terminal.confirms("Remove \(found.text) for good? No device can restore it then.")
        else {
            throw CommandFailure(
                .refused, "nothing was removed", advice: Terminal.hasInput ? nil : "Without a terminal, add --yes.")
        }
        var removed = PurgeSum()
        for (record, request) in requests {
            var connection = try DaemonConnection.open(record)
            removed.add(try connection.call(request))
        }
        try report(removed)
    }

    private func report(_ sum: PurgeSum) throws {
        if json {
            print(try StatusJSON.text(Document(items: sum.items, bytes: sum.bytes, unsent: sum.unsent)))
        } else if sum.items > 0 {
            print("Removed \(sum.text) for good.")
        } else if sum.unsent == 0 {
            print("There is nothing to remove.")
        }
        guard sum.unsent > 0 else { return }
        throw CommandFailure(
            .failed, "\(counted(sum.unsent, "item")) stayed, because the deletion has not reached the cloud",
            advice: "Run `ubiquity sync --wait`, then this command again.")
    }
}

private struct PurgeSum {
    private(set) var items: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var unsent: UInt64 = 0

    var text: String { "\(counted(items, "deleted item")) (\(ByteCount(bytes)) with earlier versions)" }

    mutating func add(_ answer: PurgeDeletedResponse) {
        items += answer.items
        bytes = bytes.saturatingSum(answer.bytes)
        unsent += answer.unsent
    }
}
