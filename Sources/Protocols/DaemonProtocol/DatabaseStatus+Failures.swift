import Basics

extension DatabaseStatus {
    /// Why the database is not in step with the cloud, and the decisions pending for the user, for the state of the
    /// mount.
    package var failures: [DaemonFailure] {
        var failures: [DaemonFailure] = []
        if let problem {
            failures.append(
                DaemonFailure(
                    state == .stopped ? .conflict : .failed,
                    "the shared database \(name) is not in step with the cloud: \(problem.message)", path: path,
                    advice: problem.advice))
        }
        for (count, what) in [
            (aside.saturatingSum(refused), "rows that stand aside"), (conflicts, "rows with several values"),
        ] where count > 0 {
            failures.append(
                DaemonFailure(
                    .conflict, "the shared database \(name) has \(what) (\(count))", path: path,
                    advice: "List them with `ubiquity database resolve --database \(name)`."))
        }
        return failures
    }
}
