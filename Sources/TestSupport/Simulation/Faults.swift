import Basics
import Glibc
import LocalContent
import LocalMetadata
import Synchronization

/// Faults at a device's calls that change its disk or reach its cloud: the device dies there, or the call fails.
final class Faults: Sendable {
    enum Call: Sendable {
        case database(DatabaseCall)
        case content(ContentCall)
        /// The second half of a program's write.
        case write
        /// A request to the cloud or its reply.
        case cloud
    }

    enum Kind: Sendable {
        /// The process is dead: every later call fails.
        case death
        /// Calls requiring disk space fail with `ENOSPC`.
        case fullDisk
        /// Calls reaching the disk, syncs included, fail with `EIO`.
        case brokenDisk
        /// A request to the cloud or its reply is lost.
        case lostCalls
    }

    fileprivate struct State {
        var kind: Kind?
        /// The number of calls still to be spared.
        var spared = 0
        /// The number of calls still to be struck.
        var count = 0
        var struck = 0
        /// Returns how much a sync of the database makes durable, in bytes of its log.
        var length: (@Sendable () -> Int)?
        var synced = 0
    }

    private let state = Mutex(State())

    /// Begins a fault sparing the first `spared` eligible calls, then striking `count`. A death strikes all later
    /// calls.
    func begin(_ kind: Kind, sparing spared: Int, count: Int = .max) {
        state.withLock { $0 = State(kind: kind, spared: spared, count: count) }
    }

    /// Begins to set ``synced`` to the value of `length` at each sync of the database.
    func noteSyncs(_ length: @escaping @Sendable () -> Int) { state.withLock { $0 = State(length: length) } }

    var synced: Int { state.withLock { $0.synced } }

    /// Ends the fault.
    ///
    /// - Returns: How many calls it struck.
    @discardableResult
    func end() -> Int {
        state.withLock { state in
            defer { state = State() }
            return state.struck
        }
    }

    /// Whether a call has failed since the fault began: the current operation may be done, not done, or done in part.
    var hasStruck: Bool { state.withLock { $0.struck > 0 } }

    /// Fails if the fault strikes the call. Called before each call, and once more after a call whose result is awaited.
    func pass(_ call: Call) throws(Errno) {
        if let code = state.withLock({ $0.strike(call) }) { throw Errno(code, "injected") }
    }
}

extension Faults.State {
    fileprivate mutating func strike(_ call: Faults.Call) -> Int32? {
        if let length, case .database(.sync) = call { synced = length() }
        guard let kind, kind.canStrike(call), count > 0 else { return nil }
        guard spared == 0 else {
            spared -= 1
            return nil
        }
        count -= 1
        struck += 1
        return kind.code
    }
}

extension Faults.Kind {
    fileprivate var code: Int32 {
        switch self {
        case .death: EOWNERDEAD
        case .fullDisk: ENOSPC
        case .brokenDisk: EIO
        case .lostCalls: ENETUNREACH
        }
    }

    fileprivate func canStrike(_ call: Faults.Call) -> Bool {
        switch (self, call) {
        case (.death, _): true
        case (.fullDisk, .database(.commit)), (.fullDisk, .content(.name)), (.fullDisk, .write): true
        case (.brokenDisk, .database(.commit)), (.brokenDisk, .database(.sync)): true
        case (.brokenDisk, .content), (.brokenDisk, .write): true
        case (.lostCalls, .cloud): true
        default: false
        }
    }
}
