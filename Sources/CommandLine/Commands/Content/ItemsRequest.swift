import Basics
import DaemonProtocol

/// What the commands on items have in common: ask each mount, tell what was done, fail if any path failed.
enum ItemsRequest {
    /// `verb`: what was done to the items, such as "Evicted"; the rest of the sentence is counted here. `progress` makes the lines that a
    /// terminal shows meanwhile.
    static func run(
        _ arguments: [String], verb: String, wait: Bool = false, progress: ((MountStatus) -> [String])? = nil,
        _ request: ([MountPath]) -> DaemonRequest
    ) throws {
        var failures: [DaemonFailure] = []
        var shown = progress
        if shown == nil, wait { shown = { StatusText.progress($0) } }
        for group in try MountSelection(arguments, .current()).groups {
            let outcomes = try ask(group, shown, request(group.paths))
            for outcome in outcomes where outcome.failure == nil {
                print(sentence(verb, outcome, group.record))
            }
            failures += outcomes.compactMap { $0.failure?.located(in: group.record) }
        }
        if let failure = CommandFailure(failures) { throw failure }
    }

    private static func ask(
        _ group: MountSelection.Group, _ progress: ((MountStatus) -> [String])?, _ request: DaemonRequest
    ) throws(CommandFailure) -> [ItemOutcome] {
        var connection = try DaemonConnection.open(group.record)
        var display = LiveDisplay()
        let response = try connection.call(request, watch: progress == nil ? nil : WatchRequest()) {
            guard Terminal.isInteractive, let progress else { return }
            display.show(progress($0.mount))
        }
        display.clear()
        guard case .items(let answer) = response else { throw DaemonConnection.unexpectedAnswer(group.record) }
        return answer.outcomes
    }

    static func sentence(_ verb: String, _ outcome: ItemOutcome, _ record: MountRecord) -> String {
        let amount = outcome.bytes > 0 ? ", \(ByteCount(outcome.bytes))" : ""
        return "\(verb) \(record.display(outcome.path)) (\(counted(outcome.items, "item"))\(amount))."
    }
}
