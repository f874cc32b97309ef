import Basics
package import CloudModel
import CloudProtocol
package import ContainerLog
import Foundation
import GRDB
import Glibc
import NIOPosix
import Synchronization

/// The folded logs of a server, each in a file of its own. At most ``maximumOpen`` are open; all work runs on threads of SQLite.
package final class ContainerTrees: Sendable {
    private struct State {
        var open: [Int64: FoldedContainer] = [:]
        /// The most recently used is last.
        var order: [Int64] = []
        var turnstiles: [Int64: AsyncMutex] = [:]
    }

    private static let maximumOpen = 16
    private let store: ServerStore
    private let folder: String
    private let state = Mutex(State())

    /// The files are kept in `folder`; the process that serves has a folder of its own, so that two processes never fold into one file.
    package init(_ store: ServerStore, in folder: String? = nil) {
        self.store = store
        self.folder = folder ?? "\(store.directory.path)/folded"
    }

    /// A container as its log says, as far as the log was read by the deadline.
    package struct View: Sendable {
        package let tree: FoldedContainer
        /// The last entry that was read, and the end of the log.
        package let sequence: LogSequence
        package let end: LogSequence

        package var isComplete: Bool { sequence >= end }
    }

    /// Continues reading the log for at most `patience`; the next call reads the rest.
    package func view(
        of name: ContainerName, of account: AccountID, patience: Duration = .seconds(5)
    ) async throws -> View {
        let id = try await store.logs.number(of: name, account)
        let tree = try await open(id)
        let deadline = ContinuousClock.now + patience
        while true {
            let end = LogSequence(try await store.logs.end(of: name, account))
            let sequence = try await tree.sequence()
            guard sequence < end, ContinuousClock.now < deadline else {
                if sequence > end { try await tree.makeAnew() }
                guard sequence <= end else { continue }
                return View(tree: tree, sequence: sequence, end: end)
            }
            // The page begins with the last folded entry, which shows whether the log is still the one that was read.
            let start = LogSequence(sequence.value - min(1, sequence.value))
            let page = try await store.logs.page(
                of: name, after: start, limit: CloudLimits.pageEntries, account: account)
            _ = try await tree.fold(page)
        }
    }

    /// Appends the batches that `decide` makes from the container as it is at the end of its log. Only one caller at a time appends, so
    /// that the numbers of its batches have no gap; the reducer weighs concurrent appends of devices as always.
    package func append<T: Sendable>(
        to name: ContainerName, of account: AccountID, by author: LogAuthor = .console,
        patience: Duration = .seconds(60), _ decide: (View) async throws -> (batches: [[Change]], answer: T)
    ) async throws -> T {
        let id = try await store.logs.number(of: name, account)
        let mutex = state.withLock { state in
            let known = state.turnstiles[id] ?? AsyncMutex()
            state.turnstiles[id] = known
            return known
        }
        return try await mutex.run {
            let view = try await view(of: name, of: account, patience: patience)
            guard view.isComplete else {
                throw StorageError(.failed, "The log of \(name) is still being read. Try again in a minute.")
            }
            let (batches, answer) = try await decide(view)
            var number = try await view.tree.read { try FoldedTree(db: $0).lastSequence(of: author.id) }
            for changes in batches {
                number += 1
                let batch = ChangeBatch(
                    device: author.id, deviceName: author.name, deviceSequence: number,
                    time: store.time.now(), changes: changes)
                _ = try await store.logs.append(batch.encoded(), key: nil, to: name, of: account)
            }
            return answer
        }
    }

    private func open(_ id: Int64) async throws -> FoldedContainer {
        if let known = use(id) { return known }
        let opened = try await store.threads.blocking { [folder] in
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw StorageError(.failed, "The folder \(folder) cannot be created.")
            }
            return try FoldedContainer(path: "\(folder)/\(id).sqlite")
        }
        // Another task may have opened it meanwhile; one of the two is dropped.
        return state.withLock { state in
            if let known = state.open[id] { return known }
            state.open[id] = opened
            state.order.append(id)
            if state.order.count > Self.maximumOpen { state.open[state.order.removeFirst()] = nil }
            return opened
        }
    }

    private func use(_ id: Int64) -> FoldedContainer? {
        state.withLock { state in
            guard let known = state.open[id] else { return nil }
            state.order.removeAll { $0 == id }
            state.order.append(id)
            return known
        }
    }
}

/// An author of entries that no device writes. Devices' ids are odd, these are even.
package struct LogAuthor: Sendable {
    package let id: DeviceID
    package let name: String

    /// The author of changes that people make in the console.
    package static let console = LogAuthor(id: DeviceID(2), name: "console")

    /// Returns an author for one command of the server's owner. Each command has its own, because concurrent commands must not count their
    /// batches together.
    package static func owner(using random: inout some RandomNumberGenerator) -> LogAuthor {
        LogAuthor(id: DeviceID(max(4, random.next() & ~1)), name: "server")
    }
}

extension ServerStore {
    /// Runs `body` with trees in a temporary folder, for commands beside the process that serves.
    package func withTrees<T: Sendable>(_ body: (ContainerTrees) async throws -> T) async throws -> T {
        let folder = "\(directory.temporary)/folded-\(UUID().uuidString)"
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body(ContainerTrees(self, in: folder))) } catch { outcome = .failure(error) }
        try await threads.blocking { try removeTree(folder) }
        return try outcome.get()
    }
}
