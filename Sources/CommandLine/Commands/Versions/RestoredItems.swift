import Basics
import DaemonProtocol

/// Restores several deleted items, one after the other. Reports each, and continues after a failure.
struct RestoredItems {
    let json: Bool

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        var items: [Item] = []
    }

    private struct Item: Encodable {
        let path: String
        let items: UInt64
        let failure: DaemonFailure?
    }

    /// Restores the items last deleted at these places, to their old places or to a folder.
    func restore(_ places: [MountLocator.Place], to target: MountLocator.Place?) throws {
        try restore(
            places.map { place in
                guard target.map({ $0.record == place.record }) ?? true else {
                    throw CommandFailure(
                        .failed, "a deleted item can be restored only in its own mount",
                        path: place.record.display(place.path), advice: "Restore it there, then copy it.")
                }
                return (place.record, RestoreDeletedRequest(path: place.path, to: target?.path))
            })
    }

    /// Restores everything at or below these paths deleted in the last seconds.
    func restore(_ paths: [String], deletedIn seconds: Int64) throws {
        let oldest = SystemTime().now().adding(.zero - .seconds(seconds))
        var requests: [(MountRecord, RestoreDeletedRequest)] = []
        for group in try MountSelection(paths, .current()).groups {
            for path in group.paths.isEmpty ? [.root] : group.paths {
                requests += try entries(below: path, since: oldest, group.record).map {
                    (group.record, RestoreDeletedRequest(path: $0.path, itemID: $0.itemID))
                }
            }
        }
        guard !requests.isEmpty else {
            return print(json ? try StatusJSON.text(Document()) : "Nothing was deleted in that time.")
        }
        try restore(requests)
    }

    /// Returns the deletions since then; the list has the newest first.
    private func entries(
        below path: MountPath, since oldest: Timestamp, _ record: MountRecord
    ) throws -> [DeletedEntry] {
        var connection = try DaemonConnection.open(record)
        var found: [DeletedEntry] = []
        var next: String?
        repeat {
            let answer = try connection.call(DeletedRequest(path: path, after: next, limit: 200))
            let young = answer.items.filter { $0.deleted.timestamp >= oldest }
            found += young
            next = young.count == answer.items.count ? answer.next : nil
        } while next != nil
        return found
    }

    /// - Parameter items: How many were restored, with the item itself; a folder's are counted as `ubiquity deleted` counts them.
    static func sentence(_ shown: String, items: UInt64) -> String {
        items > 1 ? "Restored \(shown) and \(counted(items - 1, "item")) in it." : "Restored \(shown)."
    }

    private func restore(_ requests: [(record: MountRecord, request: RestoreDeletedRequest)]) throws {
        var document = Document()
        var failures: [DaemonFailure] = []
        for (record, request) in requests {
            var connection = try DaemonConnection.open(record)
            var display = LiveDisplay()
            do throws(CommandFailure) {
                let restored = try connection.call(request, watch: WatchRequest()) {
                    if Terminal.isInteractive, let work = $0.mount.work { display.show([StatusText.line(work)]) }
                }
                display.clear()
                let shown = record.display(restored.path)
                document.items.append(Item(path: shown, items: restored.items, failure: nil))
                if !json { print(Self.sentence(shown, items: restored.items)) }
            } catch {
                display.clear()
                guard error.status != .notAnswering else { throw error }
                failures += error.causes
                document.items.append(Item(path: record.display(request.path), items: 0, failure: error.causes.first))
            }
        }
        if json { print(try StatusJSON.text(document)) }
        if let failure = CommandFailure(failures) { throw failure }
    }
}
