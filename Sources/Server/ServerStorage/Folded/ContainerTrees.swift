import Basics
package import CloudModel
package import ContainerLog
import Glibc
import NIOPosix
import Synchronization

/// The folded logs of a server, a separate file for each container, for everything that needs the state described by a
/// log. The console, statistics and the collection of chunks all use these.
///
/// Any number of tasks and processes may share a file (``FoldedContainer``). At most ``maximumOpen`` are open; all work
/// runs on SQLite's threads.
package final class ContainerTrees: Sendable {
    private struct State {
        var open: [Int64: FoldedContainer] = [:]
        /// The most recently used is last.
        var order: [Int64] = []
        var mutexes: [Int64: AsyncMutex] = [:]
    }

    private static let maximumOpen = 16
    private let logs: LogStore
    private let time: any TimeSource
    private let threads: NIOThreadPool
    private let files: FoldedFiles
    /// The author of changes by people in this process's console.
    private let console: LogAuthor
    private let state = Mutex(State())
    private let opening = AsyncMutex()

    init(
        logs: LogStore, time: any TimeSource, threads: NIOThreadPool, files: FoldedFiles, console: LogAuthor = .console
    ) {
        self.console = console
        self.logs = logs
        self.time = time
        self.threads = threads
        self.files = files
    }

    /// A container's state according to its log, as far as the log was read by the deadline.
    package struct View: Sendable {
        package let tree: FoldedContainer
        /// The last entry read, and the end of the log.
        package let sequence: LogSequence
        package let end: LogSequence

        package var isComplete: Bool { sequence >= end }
    }

    /// Continues reading the log for at most `patience`; the next call reads the rest.
    package func view(
        of name: ContainerName, of account: AccountID, patience: Duration = .seconds(5)
    ) async throws -> View {
        let id = try await logs.number(of: name, account)
        let deadline = ContinuousClock.now + patience
        while true {
            let tree = try await open(id)
            // The position first: the log only grows, so a position beyond its end is that of a different log.
            let sequence = try await tree.sequence()
            let end = try await logs.end(of: id)
            if sequence == end || (sequence < end && ContinuousClock.now >= deadline) {
                return View(tree: tree, sequence: sequence, end: end)
            }
            _ = try await fold(id, into: tree, from: sequence)
        }
    }

    /// Folds a container's log up to `target` at least, regardless of time, and verifies that entries folded before are
    /// of this log.
    ///
    /// - Throws: ``StorageError`` if the log cannot be read to `target`.
    func folded(_ container: Int64, to target: LogSequence) async throws -> FoldedContainer {
        var verified: LogSequence?
        while true {
            try Task.checkCancellation()
            let tree = try await open(container)
            let sequence = try await tree.sequence()
            if verified != nil, sequence >= target { return tree }
            guard verified != sequence else {
                throw StorageError(.damaged, "The log of container \(container) ends at \(sequence), before \(target).")
            }
            verified = try await fold(container, into: tree, from: sequence) ? sequence : nil
        }
    }

    /// Whether the log has this position, so that a tree folded up to it is of this log.
    func isInLog(_ position: LogPosition, of container: Int64) async throws -> Bool {
        guard position.sequence > .zero else { return position == .start }
        let page = try await logs.entries(of: container, from: position.sequence)
        return page.entries.first?.position == position
    }

    /// Folds a page beginning with the last folded entry, to verify that the log is still the same.
    private func fold(
        _ container: Int64, into tree: FoldedContainer, from sequence: LogSequence
    ) async throws -> Bool {
        let page = try await logs.entries(of: container, from: sequence)
        return try await tree.fold(page, seen: sequence)
    }

    /// Appends the batches created by `decide` from the container's state at the end of its log. Only one caller at a
    /// time appends, so that the numbers of its batches have no gap; the reducer weighs concurrent appends of devices
    /// as always.
    ///
    /// - Parameter author: Nil for the author of changes in this process's console. No concurrent process may append by
    ///   the same author.
    package func append<T: Sendable>(
        to name: ContainerName, of account: AccountID, by author: LogAuthor? = nil,
        patience: Duration = .seconds(60), _ decide: (View) async throws -> (batches: [[Change]], answer: T)
    ) async throws -> T {
        try await append(to: name, of: account, by: author, patience: patience) { view in
            let (batches, answer) = try await decide(view)
            return (KnownBatches(batches: batches[...]), answer)
        }
    }

    /// Like the overload above, for more changes than should be in memory: each batch is created when the previous is
    /// appended.
    package func append<T: Sendable, Batches: ChangeBatches>(
        to name: ContainerName, of account: AccountID, by author: LogAuthor? = nil,
        patience: Duration = .seconds(60), _ decide: (View) async throws -> (batches: Batches, answer: T)
    ) async throws -> T {
        let author = author ?? console
        let id = try await logs.number(of: name, account)
        let mutex = state.withLock { state in
            let known = state.mutexes[id] ?? AsyncMutex()
            state.mutexes[id] = known
            return known
        }
        return try await mutex.run {
            let view = try await view(of: name, of: account, patience: patience)
            guard view.isComplete else {
                throw StorageError(.failed, "The log of \(name) is still being read. Try again in a minute.")
            }
            var (batches, answer) = try await decide(view)
            // The log may come from a cloud whose devices collect garbage. The server keeps all chunks needed by a log,
            // so its batches need not be refused.
            let (last, collection, base) = try await view.tree.read { database in
                let tree = try FoldedTree(database)
                return (
                    try tree.lastSequence(of: author.id), try tree.collectionEpochs().proposed, tree.state().position
                )
            }
            var number = last
            while let changes = try await batches.next() {
                number += 1
                let batch = ChangeBatch(
                    device: author.id, deviceName: author.name, deviceSequence: number,
                    time: time.now(), base: base, collection: collection, changes: changes)
                _ = try await logs.append(batch.encoded(), key: nil, after: base, to: name, of: account)
            }
            return answer
        }
    }

    /// Removes the folded log of a container that no longer exists, or whose file is corrupt.
    func remove(_ container: Int64) async throws {
        let tree = state.withLock { state in
            state.order.removeAll { $0 == container }
            return state.open.removeValue(forKey: container)
        }
        tree?.discard()
        try await threads.blocking { [files] in files.remove(container) }
    }

    /// Closes all files not in use by a task.
    func close() { state.withLock { $0 = State() } }

    private func open(_ id: Int64) async throws -> FoldedContainer {
        if let known = use(id) { return known }
        // One at a time: SQLite does not wait for a concurrent switch of a new file to its write-ahead log
        // (sqlite.org/wal.html, 7).
        return try await opening.run { try await openAlone(id) }
    }

    private func openAlone(_ id: Int64) async throws -> FoldedContainer {
        if let known = use(id) { return known }
        let opened = try await threads.blocking { [files] in try FoldedContainer(path: files.path(of: id)) }
        return state.withLock { state in
            state.order.removeAll { $0 == id }
            state.open[id] = opened
            state.order.append(id)
            if state.order.count > Self.maximumOpen { state.open[state.order.removeFirst()] = nil }
            return opened
        }
    }

    private func use(_ id: Int64) -> FoldedContainer? {
        state.withLock { state in
            guard let known = state.open[id], !known.isDiscarded else { return nil }
            state.order.removeAll { $0 == id }
            state.order.append(id)
            return known
        }
    }
}

/// Changes, as many at a time as an entry has.
package protocol ChangeBatches {
    /// Returns the next changes, nil at the end.
    mutating func next() async throws -> [Change]?
}

private struct KnownBatches: ChangeBatches {
    var batches: ArraySlice<[Change]>

    mutating func next() -> [Change]? { batches.popFirst() }
}

/// An author of entries that no device writes. Devices' ids are odd, these are even.
package struct LogAuthor: Sendable {
    package let id: DeviceID
    package let name: String

    /// The author of changes by people in the console of a server of one process.
    static let console = LogAuthor(id: DeviceID(2), name: "console")

    /// Returns an author for the console of a cluster's process. Each process has a separate author, because processes
    /// cannot count their batches together.
    static func console(using random: inout some RandomNumberGenerator) -> LogAuthor {
        LogAuthor(id: id(using: &random), name: console.name)
    }

    /// Returns an author for a command of the server's owner. Each command has a separate author, because concurrent
    /// commands must not count their batches together.
    package static func owner(using random: inout some RandomNumberGenerator) -> LogAuthor {
        LogAuthor(id: id(using: &random), name: "server")
    }

    private static func id(using random: inout some RandomNumberGenerator) -> DeviceID {
        DeviceID(max(4, random.next() & ~1))
    }
}
