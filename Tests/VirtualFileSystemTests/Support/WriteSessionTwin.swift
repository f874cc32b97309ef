/// What a file's row should show, by these rules alone: a transaction that began after the last writer's close leaves
/// what the programs had written by then; an open of a closed file for writing records it first, unless no transaction has seen
/// its close and that is less than a second old.
struct WriteSessionTwin {
    private typealias Content = (size: UInt64, mode: UInt16)

    private(set) var shown = WriteSessionState()
    private var content: Content = (0, 0)
    private var writers = 0
    /// Whether the last writer's close is not in the row.
    private var isUnrecorded = false
    private var isRefused = false
    /// Whether a transaction has seen the close.
    private var isTouched = false
    /// Seconds since the earliest close missing from the row.
    private var age: Int?
    /// What a running transaction records.
    private var transaction: Content?
    private var blocked: WriteEvent?
    /// The closes not released, and the refused ones.
    private var (held, kept) = (0, 0)

    mutating func happens(_ event: WriteEvent) {
        switch event {
        case .open: open()
        case .write: content.size += 1
        case .changeMode: changeMode()
        case .idle: record(isLast: false)
        case .remove: (shown.row, isUnrecorded) = (nil, false)
        case .close, .closeRefused: close(isRefused: event == .closeRefused)
        case .begins: (transaction, isTouched) = (content, true)
        case .commits, .fails: end(isCommitted: event == .commits)
        case .settle: held = isUnrecorded && !isRefused ? 1 : 0
        case .refuse: (held, kept, isRefused) = (held - 1, kept + 1, true)
        case .retry:
            if isUnrecorded, isRefused { record(isLast: true) }
            kept = 0
        case .secondPasses: age = age.map { $0 + 1 }
        }
        shown.isLate = shown.row != nil && (writers > 0 || isUnrecorded)
        shown.claims = writers + held + kept
    }

    private mutating func open() {
        if writers == 0 {
            let isResumed = isUnrecorded && !isTouched && !isRefused && age == 0
            if !isResumed, transaction != nil {
                blocked = .open
                return
            }
            if isUnrecorded, !isResumed { record(isLast: true) }
            isUnrecorded = false
            shown.row?.isWriting = true
        }
        writers += 1
    }

    private mutating func changeMode() {
        content.mode += 1
        guard writers == 0 else { return }
        if transaction != nil {
            blocked = .changeMode
        } else if !isUnrecorded || isRefused {
            record(isLast: true)
        }
    }

    private mutating func record(isLast: Bool) {
        shown.row?.size = content.size
        shown.row?.mode = content.mode
        guard isLast else { return }
        shown.row?.isWriting = false
        (isUnrecorded, age) = (false, nil)
    }

    private mutating func close(isRefused: Bool) {
        writers -= 1
        guard writers == 0, shown.row != nil else { return }
        (isUnrecorded, isTouched, self.isRefused) = (true, false, isRefused)
        if isRefused {
            kept += 1
        } else {
            held += 1
            age = age ?? 0
        }
    }

    private mutating func end(isCommitted: Bool) {
        if isCommitted, let transaction {
            shown.row = .init(size: transaction.size, mode: transaction.mode)
            (isUnrecorded, age) = (false, nil)
        }
        transaction = nil
        defer { blocked = nil }
        switch blocked {
        case .open: open()
        case nil: break
        default: record(isLast: true)
        }
    }
}
