/// Decides when the write-ahead log is checkpointed, and on which thread. Pure.
///
/// A background checkpoint rarely lets SQLite restart the log, because the writer has appended to it meanwhile. So at a
/// limit the writer runs one itself. While a reader holds an old state, that copies few pages or none and may cost two
/// syncs of the disk, so it is not repeated with each commit.
struct CheckpointSchedule {
    enum Action: Equatable {
        case none
        case inBackground
        case byWriter
    }

    /// The number of pages of 4 KiB between checkpoints; SQLite's own default.
    static let step = 1000
    /// The number of pages at which the writer runs the checkpoint, so that the log stays bounded: 64 MiB.
    static let limit = 16_384
    /// The number of pages between checkpoints of the writer.
    static let writerStep = 256

    private var isRunning = false
    /// The log's length at which the next background checkpoint is due.
    private var due = Self.step
    /// The log's length at which the writer's next checkpoint is due.
    private var dueByWriter = Self.limit

    /// Returns the action after a commit that left `length` pages in the log.
    mutating func committed(length: Int) -> Action {
        // The log was started again.
        if length + Self.step < due { due = Self.step }
        if length < Self.limit { dueByWriter = Self.limit }
        if length >= dueByWriter { return .byWriter }
        guard length >= due, !isRunning else { return .none }
        isRunning = true
        due = length + Self.step
        return .inBackground
    }

    /// Notes that the writer's checkpoint was run. If a concurrent checkpoint prevented it, it is retried with the next
    /// commit.
    mutating func writerRan(length: Int) { dueByWriter = length + Self.writerStep }

    mutating func backgroundEnded() { isRunning = false }
}
