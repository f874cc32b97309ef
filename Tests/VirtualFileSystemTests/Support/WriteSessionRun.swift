import Basics
import CloudModel
import Glibc
import LocalMetadata

@testable import LocalContent
@testable import VirtualFileSystem

/// What happens to a file.
enum WriteEvent: CaseIterable {
    case open, write, changeMode, idle, remove
    /// The close of a writer; that of the last waits for a transaction.
    case close
    /// The same, but the last one is recorded by a transaction of its own, which the database refuses.
    case closeRefused
    /// A transaction with other changes.
    case begins, commits, fails
    case settle
    /// A transaction for the waiting closes is refused.
    case refuse
    /// The periodic retry of refused closes.
    case retry
    case secondPasses
}

/// What is visible from outside.
struct WriteSessionState: Equatable {
    struct Row: Equatable {
        var size: UInt64 = 0
        var mode: UInt16 = 0
        var isWriting = false
    }
    /// Nil once the file is removed.
    var row: Row? = Row()
    /// Whether the row lacks writes or a close.
    var isLate = false
    /// The handles, the closes not released, and the refused ones.
    var claims = 0
}

extension BlobStatus {
    static func test(size: UInt64) -> BlobStatus {
        var status = stat()
        status.st_size = Int(size)
        status.st_mtim.tv_sec = Int(size)
        return BlobStatus(status)
    }
}

/// A file with a ``WriteSession`` and an ``EditRecorder``, used as the file system does, on a database and a disk of a
/// few variables.
struct WriteSessionRun {
    private static let statuses = (0..<16).map { BlobStatus.test(size: $0) }
    /// Nil would fail each sequence: the twin has a row.
    private static let newItem: LocalItem? = (try? ItemName("a")).map { name in
        LocalItem(
            container: ContainerID(1), item: ItemID(high: 1, low: 1), parent: NodeID(1), name: name, kind: .file,
            attributes: ItemAttributes(permissions: 0, modified: .zero, created: .zero), changed: .zero)
    }

    private var session = WriteSession()
    private var recorder = EditRecorder()
    private let file = OpenFile(node: NodeID(2))
    private var now = Timestamp.zero
    private var row = Self.newItem
    /// The closes recorded by the running transaction.
    private var taken: [EditRecorder.Close]?
    /// Waits for the end of the transaction.
    private var blocked: WriteEvent?
    private var kept = 0
    private var released = 0
    private var given = 0
    private(set) var written: UInt64 = 0
    private(set) var mode: UInt16 = 0

    private var blob: BlobStatus { Self.statuses[Int(written)] }

    var shown: WriteSessionState {
        let isLate =
            switch session.phase {
            case .idle: false
            case .writing, .closed: true
            case .waiting: recorder.isPending(file)
            }
        return WriteSessionState(
            row: row.map { .init(size: $0.size, mode: $0.attributes.permissions, isWriting: $0.isWriting) },
            isLate: isLate && row != nil, claims: session.writers + given - released + kept)
    }

    /// Whether the event can happen, and does anything.
    func allows(_ event: WriteEvent) -> Bool {
        let (isOpen, isFree) = (session.writers > 0, taken == nil && blocked == nil)
        if blocked != nil { return [.commits, .fails].contains(event) }
        return switch event {
        case .open: row != nil && session.writers < 2
        case .write: isOpen
        case .close: isOpen
        case .closeRefused: session.writers == 1 && isFree && row != nil
        case .changeMode: row != nil && (isOpen || session.isWaiting || session.phase == .closed)
        case .idle: isOpen && isFree && session.record(blob, endsWriting: false).isEdit
        case .remove: row != nil && isFree
        case .begins: isFree && !recorder.waiting.isEmpty
        case .commits, .fails: taken != nil
        case .settle: hasSettled
        case .refuse: isFree && !recorder.waiting.isEmpty
        case .retry: kept > 0 && isFree
        case .secondPasses: session.isWaiting
        }
    }

    private var hasSettled: Bool {
        var recorder = recorder
        return !recorder.takeSettled().isEmpty
    }

    mutating func happens(_ event: WriteEvent) {
        switch event {
        case .open: open()
        case .write: written += 1
        case .changeMode: changeMode()
        case .idle: commit(session.record(blob, endsWriting: false))
        case .remove: remove()
        case .close: close(isRefused: false)
        case .closeRefused: close(isRefused: true)
        case .begins: taken = recorder.take()
        case .commits, .fails: end(isCommitted: event == .commits)
        case .settle: settle()
        case .refuse:
            for close in recorder.waiting where recorder.giveUp(close.file) != nil {
                released += 1
                session.endsUnrecorded()
                keepOrRelease()
            }
        case .retry:
            finish()
            if session.phase != .closed { kept = 0 }
        case .secondPasses: now = now.adding(.seconds(1))
        }
    }

    private mutating func open() {
        if blocked == nil, withdraw(), session.resumes(at: now) { return }
        if taken != nil, session.writers == 0, session.phase == .closed || row?.isWriting == false {
            blocked = .open
            return
        }
        finish()
        guard session.writerOpens() else { return }
        session.baseline = blob
        row?.isWriting = true
    }

    private mutating func changeMode() {
        if blocked == nil { mode += 1 }
        var attributes = UnrecordedAttributes(changed: now)
        attributes.permissions = mode
        if blocked == nil, session.writers > 0 || session.isWaiting {
            var next = session
            next.keeps(attributes, blob)
            guard case .waiting(let record) = next.phase, !recorder.replace(record, of: file) else {
                session = next
                return
            }
            _ = withdraw()
        }
        if taken != nil {
            blocked = .changeMode
            return
        }
        let isLast = session.phase == .closed
        commit(session.record(blob, endsWriting: isLast))
        row?.attributes.permissions = mode
    }

    /// - Returns: Whether no transaction had taken the close.
    private mutating func withdraw() -> Bool {
        guard case .waiting(let record) = session.phase else { return false }
        let progress = recorder.withdraw(file)
        if progress == .recorded { session.recorded(record) } else { session.endsUnrecorded() }
        return progress == .waiting
    }

    private mutating func finish() {
        if session.phase == .closed { commit(session.record(blob, endsWriting: true)) }
    }

    private mutating func commit(_ record: EditRecord) {
        guard var item = row else { return session.unlinked() }
        record.apply(to: &item, at: now)
        row = item
        session.recorded(record)
    }

    private mutating func close(isRefused: Bool) {
        guard session.writerCloses(), session.phase == .closed else { return }
        if isRefused {
            keepOrRelease()
        } else {
            let record = session.record(blob, endsWriting: true)
            let number = session.waits(record, at: now)
            _ = recorder.add(EditRecorder.Close(file: file, number: number, record: record))
            given += 1
        }
    }

    private mutating func keepOrRelease() { if session.phase == .closed { kept += 1 } }

    private mutating func end(isCommitted: Bool) {
        if isCommitted { for close in taken ?? [] { row.map { apply(close.record, $0) } } }
        recorder.end(isCommitted: isCommitted)
        taken = nil
        guard let event = blocked else { return }
        if event == .open { open() } else { changeMode() }
        blocked = nil
    }

    private mutating func apply(_ record: EditRecord, _ item: LocalItem) {
        var item = item
        record.apply(to: &item, at: now)
        row = item
    }

    private mutating func settle() {
        for close in recorder.takeSettled() {
            released += 1
            if case .waiting(let record) = session.phase, session.waitCount == close.number { session.recorded(record) }
        }
    }

    private mutating func remove() {
        row = nil
        _ = withdraw()
        session.unlinked()
    }
}
