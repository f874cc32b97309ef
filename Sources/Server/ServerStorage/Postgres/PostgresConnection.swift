import CPostgres
import Foundation
import Glibc

/// A connection to PostgreSQL.
///
/// Only one thread at a time uses it; its calls block, each within a bound. Statements are sent in libpq's pipeline
/// mode: those whose result is not needed immediately share a message with the next awaited statement.
final class PostgresConnection: @unchecked Sendable {
    /// A statement to be prepared once. Its parameters have the types given by the caller.
    struct Statement: Hashable {
        let sql: String
        let types: [StorageType]
    }

    private enum Command {
        case prepare(Statement, name: String)
        case run
    }

    let bounds: PostgresBounds
    private let handle: OpaquePointer
    private var prepared: [Statement: String] = [:]
    private var nextName = 0
    private var queued: [Command] = []
    private var queuedBytes = 0
    /// Sent statements with unread results.
    private var posted: [[Command]] = []
    /// False after the connection broke or was silent for too long.
    private(set) var isUsable = true

    /// Bounds the memory of a caller that queues without end.
    private static let maximumQueued = (commands: 128, bytes: 4 << 20)
    private static let maximumPrepared = 512
    /// The most bytes of a result to be read when the body wants no more of it.
    private static let maximumDropped = 8 << 20

    /// Connects to the address's first writable host. Blocks, for at most `bounds.connect` for each of its hosts.
    ///
    /// - Throws: ``PostgresError``.
    init(_ address: PostgresAddress, bounds: PostgresBounds = PostgresBounds()) throws {
        self.bounds = bounds
        let parameters = address.parameters(bounds)
        let keywords = parameters.map { strdup($0.keyword) } + [nil]
        let values = parameters.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let connected = PQconnectdbParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 0)
        guard let connected else { throw PostgresError(kind: .lost, message: "There is no memory for a connection.") }
        guard PQstatus(connected) == CONNECTION_OK, PQsetnonblocking(connected, 1) == 0,
            PQenterPipelineMode(connected) == 1
        else {
            defer { PQfinish(connected) }
            throw PostgresError(kind: .lost, message: Self.message(of: connected))
        }
        handle = connected
        // Notices would go to standard error.
        PQsetNoticeReceiver(connected, { _, _ in }, nil)
        let limit = bounds.statement.milliseconds
        try enqueue("SET statement_timeout = \(limit)")
        try enqueue("SET idle_in_transaction_session_timeout = \(limit)")
        try flush()
    }

    deinit { PQfinish(handle) }

    // MARK: Statements

    /// Runs a statement and waits for its result. Each row is passed to `body` until that returns false. If much of the
    /// result is left then, the connection is no longer usable.
    ///
    /// - Returns: The number of returned or changed rows.
    /// - Throws: ``PostgresError``, also of statements enqueued before; and the errors of `body`.
    @discardableResult
    func run(
        _ sql: String, _ parameters: [any StorageValueConvertible] = [],
        row body: (StorageRow) throws -> Bool = { _ in true }
    ) throws -> Int {
        try send(sql, parameters)
        return try collect(body)
    }

    /// Sends a statement with the next awaited statement. Its rows are dropped, its error is thrown then.
    func enqueue(_ sql: String, _ parameters: [any StorageValueConvertible] = []) throws {
        try send(sql, parameters)
        if queued.count >= Self.maximumQueued.commands || queuedBytes >= Self.maximumQueued.bytes { try flush() }
    }

    /// Waits for all enqueued statements.
    func flush() throws {
        guard !queued.isEmpty else { return }
        try collect { _ in true }
    }

    /// Sends all enqueued statements without waiting: their results are read, and dropped, before the next statement's.
    func post() throws {
        guard !queued.isEmpty else { return }
        posted.append(queued)
        queued = []
        queuedBytes = 0
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try push()
    }

    /// Reads the results of posted statements. Their errors are dropped, unless the connection is lost.
    private func receivePosted() throws {
        while !posted.isEmpty {
            let commands = posted.removeFirst()
            do { _ = try receive(commands, wanting: { _ in false }, { _, _ in true }, tag: { _ in }) } catch
                where isUsable
            { continue }
        }
    }

    func rows(_ sql: String, _ parameters: [any StorageValueConvertible] = []) throws -> [StorageRow] {
        var rows: [StorageRow] = []
        try run(sql, parameters) {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Runs queries in a single round trip, and returns the rows of each.
    ///
    /// - Throws: ``PostgresError``, also of statements enqueued before.
    func rowsOfEach(_ queries: [(sql: String, parameters: [any StorageValueConvertible])]) throws -> [[StorageRow]] {
        guard !queries.isEmpty else { return [] }
        var places: [Int: Int] = [:]
        for (place, query) in queries.enumerated() {
            try send(query.sql, query.parameters)
            places[queued.count - 1] = place
        }
        var rows = Array(repeating: [StorageRow](), count: queries.count)
        try collect(wanting: { places[$0] != nil }) { command, row in
            if let place = places[command] { rows[place].append(row) }
            return true
        }
        return rows
    }

    /// Commits the open transaction, together with all enqueued statements.
    ///
    /// - Throws: `unknownOutcome` if the connection broke after the commit was sent.
    func commit() throws {
        do {
            var tag = ""
            try send("COMMIT", [])
            try collect({ _ in true }) { tag = $0 }
            // The server reports the end of a failed transaction as success of another command.
            guard tag == "COMMIT" else {
                throw PostgresError(kind: .refused(state: "40000"), message: "The transaction was rolled back.")
            }
        } catch let error as PostgresError where !isUsable {
            throw PostgresError(kind: .unknownOutcome, message: error.message)
        }
    }

    // MARK: Notifications

    func listen(to channel: String) throws { try run("LISTEN \"\(channel.replacing("\"", with: "\"\""))\"") }

    func notify(_ channel: String, _ payload: String) throws {
        try run("SELECT pg_notify($1, $2)", [channel, payload])
    }

    /// Waits until there are notifications, `bound` has passed, or `wake` is readable.
    ///
    /// - Parameter wake: A descriptor, such as a pipe's, for ending the wait from a different thread.
    func notifications(within bound: Duration, wake: Int32? = nil) throws -> [PostgresNotification] {
        let received = takeNotifications()
        guard received.isEmpty else { return received }
        var polled = [pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)]
        if let wake { polled.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0)) }
        guard poll(&polled, nfds_t(polled.count), Int32(clamping: bound.milliseconds)) >= 0 || errno == EINTR else {
            throw lost("poll: \(String(cString: strerror(errno)))")
        }
        if polled[0].revents != 0, PQconsumeInput(handle) == 0 { throw lost() }
        return takeNotifications()
    }

    private func takeNotifications() -> [PostgresNotification] {
        var found: [PostgresNotification] = []
        while let next = PQnotifies(handle) {
            found.append(
                PostgresNotification(
                    channel: String(cString: next.pointee.relname), payload: String(cString: next.pointee.extra),
                    process: next.pointee.be_pid))
            PQfreemem(next)
        }
        return found
    }

    /// The server's process of this connection; `process` of the notifications sent by it.
    var process: Int32 { PQbackendPID(handle) }

    // MARK: Scripts

    /// Runs several statements without parameters, separated by semicolons, by default in a single transaction.
    func script(_ sql: String) throws {
        try flush()
        try receivePosted()
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { throw lost() }
        var failure: PostgresError?
        try push()
        while let result = try nextResult() {
            if PQresultStatus(result) == PGRES_FATAL_ERROR { failure = failure ?? Self.error(of: result) }
            PQclear(result)
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        if let failure { throw noted(failure) }
    }

    // MARK: The wire

    private func send(_ sql: String, _ parameters: [any StorageValueConvertible]) throws {
        guard isUsable else { throw PostgresError(kind: .lost, message: "The connection was lost.") }
        if prepared.count >= Self.maximumPrepared { try forgetPrepared() }
        let statement = Statement(sql: sql, types: parameters.map { type(of: $0).storageType })
        let name: String
        if let known = prepared[statement] {
            name = known
        } else {
            name = "s\(nextName)"
            nextName += 1
            let types = statement.types.map(\.postgresType)
            guard PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw lost() }
            queued.append(.prepare(statement, name: name))
            prepared[statement] = name
        }
        let encoded = PostgresParameters(parameters.map(\.storageValue))
        let isSent = encoded.withPointers { values, lengths, formats in
            PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        queued.append(.run)
        queuedBytes += encoded.count
    }

    private func forgetPrepared() throws {
        try flush()
        prepared = [:]
        // An unnamed statement: it needs no name, possibly already in use.
        guard PQsendQueryParams(handle, "DEALLOCATE ALL", 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        queued.append(.run)
        try flush()
    }

    /// Waits for the results of all queued statements. The rows of the last statement go to `body`.
    @discardableResult
    private func collect(_ body: (StorageRow) throws -> Bool, tag: (String) -> Void = { _ in }) throws -> Int {
        let last = queued.count - 1
        return try collect(wanting: { $0 == last }, { try body($1) }, tag: tag)
    }

    /// - Parameters:
    ///   - wanting: Whether the rows of a statement, given by its place in the queue, go to `body`.
    ///   - body: Receives that place and a row. Returns whether it wants more rows of the statement.
    @discardableResult
    private func collect(
        wanting: (Int) -> Bool, _ body: (Int, StorageRow) throws -> Bool, tag: (String) -> Void = { _ in }
    ) throws -> Int {
        let commands = queued
        queued = []
        queuedBytes = 0
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try push()
        try receivePosted()
        return try receive(commands, wanting: wanting, body, tag: tag)
    }

    private func receive(
        _ commands: [Command], wanting: (Int) -> Bool, _ body: (Int, StorageRow) throws -> Bool, tag: (String) -> Void
    ) throws -> Int {
        var failure: (any Error)?
        var count = 0
        for (index, command) in commands.enumerated() {
            let isLast = index == commands.count - 1
            var wantsMore = wanting(index)
            if isLast || wantsMore { PQsetSingleRowMode(handle) }
            var columns: PostgresColumns?
            var dropped = 0
            while let result = try nextResult() {
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_SINGLE_TUPLE:
                    if isLast { count += 1 }
                    guard wantsMore, failure == nil else {
                        dropped += PostgresColumns.bytes(of: result)
                        guard isLast, dropped > Self.maximumDropped else { continue }
                        // Its end is not worth reading: the next user gets a new connection.
                        isUsable = false
                        if let failure { throw failure }
                        return count
                    }
                    do {
                        let known = columns ?? PostgresColumns(of: result)
                        columns = known
                        wantsMore = try body(index, known.row(of: result))
                    } catch { failure = error }
                case PGRES_TUPLES_OK: continue
                case PGRES_COMMAND_OK:
                    guard isLast else { continue }
                    count = Int(String(cString: PQcmdTuples(result))) ?? 0
                    tag(String(cString: PQcmdStatus(result)))
                case PGRES_PIPELINE_ABORTED: Self.forget(command, in: &prepared)
                default:
                    failure = failure ?? noted(Self.error(of: result))
                    Self.forget(command, in: &prepared)
                }
            }
        }
        guard let end = try nextResult() else { throw lost(failure.map { "\($0)" }) }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw lost(failure.map { "\($0)" }) }
        if let failure { throw failure }
        return count
    }

    /// A rejected statement, and any skipped after it, is prepared again on next use.
    private static func forget(_ command: Command, in prepared: inout [Statement: String]) {
        if case .prepare(let statement, _) = command { prepared[statement] = nil }
    }

    /// Sends libpq's buffer. Reads meanwhile, because a server blocked on sending its results does not read either.
    private func push() throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(POLLIN | POLLOUT)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func nextResult() throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(POLLIN)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        return PQgetResult(handle)
    }

    private func wait(_ events: Int32) throws {
        let deadline = ContinuousClock.now + bounds.silence
        while true {
            let rest = (deadline - .now).milliseconds
            guard rest > 0 else { throw lost("The database was silent for \(bounds.silence).") }
            var polled = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let ready = poll(&polled, 1, Int32(clamping: rest))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw lost("poll: \(String(cString: strerror(errno)))") }
        }
    }

    private func lost(_ reason: String? = nil) -> PostgresError {
        isUsable = false
        return PostgresError(kind: .lost, message: reason ?? Self.message(of: handle))
    }

    private func noted(_ error: PostgresError) -> PostgresError {
        if error.endsConnection { isUsable = false }
        return error
    }

    private static func error(of result: OpaquePointer) -> PostgresError {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY. An error of libpq itself, such as a lost connection, has no
        // state.
        guard let state = field("C") else {
            return PostgresError(kind: .lost, message: trimmed(PQresultErrorMessage(result)))
        }
        return PostgresError(kind: .refused(state: state), message: field("M") ?? state)
    }

    private static func message(of handle: OpaquePointer) -> String { trimmed(PQerrorMessage(handle)) }

    private static func trimmed(_ text: UnsafePointer<CChar>?) -> String {
        text.map { String(cString: $0).trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    }
}

/// A message sent by a transaction with `NOTIFY`.
struct PostgresNotification: Hashable, Sendable {
    let channel: String
    let payload: String
    /// The server's process of the sending connection.
    let process: Int32
}

extension Duration {
    /// Rounded up, so that a wait is not repeated with 0.
    var milliseconds: Int64 {
        let (seconds, rest) = components
        return seconds * 1_000 + (rest + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
