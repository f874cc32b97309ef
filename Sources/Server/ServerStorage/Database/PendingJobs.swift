/// Jobs waiting for a group: jobs that arrive while a group is being made durable form the next group. Pure.
///
/// Only one thread at a time runs groups: that of the caller whose ``add(_:)`` returned true, until ``take(atMost:)``
/// returns nil.
struct PendingJobs<Job> {
    private var jobs: [Job] = []
    private var isRunning = false

    /// Jobs not yet taken by a group.
    var count: Int { jobs.count }

    /// - Returns: Whether nothing runs groups yet, so that the caller has to.
    mutating func add(_ job: Job) -> Bool {
        jobs.append(job)
        defer { isRunning = true }
        return !isRunning
    }

    /// Returns the next group, oldest first; nil if there is none, and then groups are no longer run.
    mutating func take(atMost limit: Int) -> [Job]? {
        guard !jobs.isEmpty else {
            isRunning = false
            return nil
        }
        defer { jobs.removeFirst(min(limit, jobs.count)) }
        return Array(jobs.prefix(limit))
    }
}
