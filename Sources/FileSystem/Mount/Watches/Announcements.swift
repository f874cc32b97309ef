import Synchronization

/// The processes whose requests are announcements, and the current announcement.
///
/// No request of such a process changes anything: a request not belonging to the current announcement fails.
package final class Announcements: Sendable {
    /// The source of a request.
    enum Requester: Equatable {
        case program
        case announcer(Announcement?)
    }

    private struct State {
        /// Running processes, by their ids; true once the kernel has named the process in a request.
        var processes: [Int32: Bool] = [:]
        var current: (process: Int32, announcement: Announcement)?
    }

    private let state = Mutex(State())
    /// Without an announcer a request costs only this load.
    private let isUsed = Atomic<Bool>(false)

    package init() {}

    /// Returns the requester by the number of its thread. An announcer has a single thread, with the number of its
    /// process.
    func requester(_ thread: Int32) -> Requester {
        guard isUsed.load(ordering: .acquiring) else { return .program }
        return state.withLock { state in
            guard state.processes[thread] != nil else { return .program }
            guard let current = state.current, current.process == thread else { return .announcer(nil) }
            return .announcer(current.announcement)
        }
    }

    /// The name looked up by a new announcer in the mount's root, to show that the kernel's number for it is the number
    /// known here.
    static func greeting(of process: Int32) -> [UInt8] { Array(".ubiquity-announcer-\(process)".utf8) }

    func noteGreeting(of process: Int32) {
        state.withLock { state in if state.processes[process] != nil { state.processes[process] = true } }
    }

    func isKnownToKernel(_ process: Int32) -> Bool { state.withLock { $0.processes[process] ?? false } }

    func add(_ process: Int32) {
        state.withLock { $0.processes[process] = false }
        isUsed.store(true, ordering: .releasing)
    }

    /// Removes an ended process.
    func remove(_ process: Int32) { state.withLock { $0.processes[process] = nil } }

    func begin(_ announcement: Announcement, by process: Int32) {
        state.withLock { $0.current = (process, announcement) }
    }

    func end() { state.withLock { $0.current = nil } }
}
