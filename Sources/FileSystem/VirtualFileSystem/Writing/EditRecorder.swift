/// Gathers the records of closed files until a transaction has them. Pure.
///
/// Each close holds a claim of its file, and is returned exactly once by ``takeSettled()`` or ``giveUp(_:)``, with the
/// claim. While its record is waiting or taken, the row says `isWriting`, so readers of rows still see an open file.
struct EditRecorder {
    struct Close {
        let file: OpenFile
        /// The number given by ``WriteSession/waits(_:at:)``.
        let number: Int
        var record: EditRecord
        /// Whether a transaction with it has failed.
        var hasFailed = false
    }

    /// The progress of a withdrawn close.
    enum Progress {
        /// No transaction has taken it: the row still durably says `isWriting`.
        case waiting
        /// A transaction with it has failed, or is unfinished: the row alone knows what it says.
        case unknown
        case recorded
    }

    enum Action: Equatable {
        case none
        case startTimer
        /// Too many are waiting: the caller records them itself.
        case record
    }

    /// The maximum number of waiting closes.
    static let limit = 256

    private(set) var waiting: [Close] = []
    /// Taken by the running transaction. It may still fail.
    private var taken: [Close] = []
    private var isRecording = false
    /// Recorded or withdrawn; their claims are to be released.
    private var settled: [Close] = []
    private var isTimerRunning = false

    /// Whether every close is committed: nothing to record or to wait for.
    var isEmpty: Bool { waiting.isEmpty && !isRecording }

    mutating func add(_ close: Close) -> Action {
        waiting.append(close)
        guard waiting.count < Self.limit else { return .record }
        guard !isTimerRunning else { return .none }
        isTimerRunning = true
        return .startTimer
    }

    mutating func timerEnded() { isTimerRunning = false }

    /// Takes the waiting closes, for the calling write transaction. It has to be followed by ``end(isCommitted:)``
    /// before the next transaction begins.
    mutating func take() -> [Close] {
        (taken, waiting) = (waiting, [])
        isRecording = !taken.isEmpty
        return taken
    }

    /// The transaction of ``take()`` has ended.
    mutating func end(isCommitted: Bool) {
        if isCommitted {
            settled += taken
        } else {
            for index in taken.indices { taken[index].hasFailed = true }
            waiting = taken + waiting
        }
        (taken, isRecording) = ([], false)
    }

    /// Returns whether the file's row does not record its close yet.
    func isPending(_ file: OpenFile) -> Bool {
        waiting.contains { $0.file === file } || taken.contains { $0.file === file }
    }

    /// Replaces the record of a file's close, unless a transaction has taken it.
    mutating func replace(_ record: EditRecord, of file: OpenFile) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.file === file }) else { return false }
        waiting[index].record = record
        return true
    }

    /// Takes a file's close back from future transactions. A transaction already recording it may still do so.
    mutating func withdraw(_ file: OpenFile) -> Progress {
        if let close = giveUp(file) {
            settled.append(close)
            return close.hasFailed ? .unknown : .waiting
        }
        guard let index = taken.firstIndex(where: { $0.file === file }) else { return .recorded }
        settled.append(taken.remove(at: index))
        return .unknown
    }

    /// Removes a waiting close that the database refuses. The claim passes to the caller.
    mutating func giveUp(_ file: OpenFile) -> Close? {
        waiting.firstIndex { $0.file === file }.map { waiting.remove(at: $0) }
    }

    /// Returns the closes whose claims are to be released, each only once.
    mutating func takeSettled() -> [Close] {
        defer { settled = [] }
        return settled
    }
}
