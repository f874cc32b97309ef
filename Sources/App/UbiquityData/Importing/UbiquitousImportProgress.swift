/// An import's progress. The last report of a successful import is done; a failed import never reports done.
public struct UbiquitousImportProgress: Hashable, Sendable {
    /// Steps: each file is read and shown.
    public internal(set) var completed = 0
    /// At least `completed`.
    public internal(set) var total = 0
    public internal(set) var isDone = false

    /// From 0 to 100; 100 only at the end.
    public var percent: Int { isDone ? 100 : min(99, completed * 100 / max(1, total)) }
}

/// Counts an import's steps.
struct ImportReport {
    private var progress = UbiquitousImportProgress()
    private let report: (UbiquitousImportProgress) -> Void

    init(_ report: @escaping (UbiquitousImportProgress) -> Void) { self.report = report }

    mutating func expect(files: Int, parts: Int) { progress.total = 2 * (files + parts) }

    mutating func advance() {
        progress.completed += 1
        progress.total = max(progress.total, progress.completed)
        report(progress)
    }

    mutating func finish() {
        progress.completed = progress.total
        progress.isDone = true
        report(progress)
    }
}
