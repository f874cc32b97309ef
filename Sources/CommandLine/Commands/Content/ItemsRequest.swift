import Basics
import DaemonProtocol

/// The common part of commands on items: sends a request to each mount, reports the outcomes, and fails if any path failed.
enum ItemsRequest {
    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let items: [Outcome]
    }

    private struct Outcome: Encodable {
        let path: String
        let items: UInt64
        let bytes: UInt64
        let failure: DaemonFailure?
        let kept: UInt64?
        let stopped: UInt64?
    }

    /// - Parameter verb: The participle for the action, such as "Evicted"; this method appends the counted items.
    static func run<Call: DaemonCall>(
        _ arguments: [String], verb: String, wait: Bool = false, json: Bool = false,
        _ request: ([MountPath]) -> Call
    ) throws where Call.Response == ItemsResponse {
        var failures: [DaemonFailure] = []
        var document: [Outcome] = []
        for group in try MountSelection(arguments, .current()).groups {
            for outcome in try ask(group, wait: wait, request(group.paths)) {
                let failure = outcome.failure?.located(in: group.record)
                if let failure { failures.append(failure) }
                document.append(
                    Outcome(
                        path: group.record.display(outcome.path), items: outcome.items, bytes: outcome.bytes,
                        failure: failure, kept: outcome.keptCount, stopped: outcome.stopped))
                if failure == nil, !json { print(sentence(verb, outcome, group.record)) }
            }
        }
        if json { print(try StatusJSON.text(Document(items: document))) }
        if let failure = CommandFailure(failures) { throw failure }
    }

    private static func ask<Call: DaemonCall>(
        _ group: MountSelection.Group, wait: Bool, _ request: Call
    ) throws(CommandFailure) -> [ItemOutcome] where Call.Response == ItemsResponse {
        var connection = try DaemonConnection.open(group.record)
        var display = LiveDisplay()
        let watches = wait || Terminal.isInteractive
        let response = try connection.call(request, watch: watches ? WatchRequest() : nil) {
            if let work = $0.mount.work {
                if Terminal.isInteractive { display.show([StatusText.line(work)]) }
            } else if wait {
                display.show(StatusText.progress($0.mount))
            }
        }
        display.clear()
        return response.outcomes
    }

    static func sentence(_ verb: String, _ outcome: ItemOutcome, _ record: MountRecord) -> String {
        let amount = outcome.bytes > 0 ? ", \(ByteCount(outcome.bytes))" : ""
        // The path itself is no news; a folder with more is.
        let extent = outcome.items == 1 ? amount.dropFirst(2)[...] : "\(counted(outcome.items, "item"))\(amount)"[...]
        let done = "\(verb) \(record.display(outcome.path))\(extent.isEmpty ? "" : " (\(extent))")."
        return ([done] + [stopped(outcome), kept(outcome)].compactMap(\.self)).joined(separator: " ")
    }

    private static func stopped(_ outcome: ItemOutcome) -> String? {
        outcome.stopped.map { "Stopped \(counted($0, "download"))." }
    }

    /// `Kept 4: a.odt (open), b (pinned), c (not synced) and 1 more.`
    private static func kept(_ outcome: ItemOutcome) -> String? {
        guard let count = outcome.keptCount, let kept = outcome.kept else { return nil }
        let names = kept.map { "\(printable($0.name)) (\($0.reason))" }.joined(separator: ", ")
        let more = count - min(count, UInt64(kept.count))
        return "Kept \(count): \(names)\(more > 0 ? " and \(more) more" : "")."
    }
}
