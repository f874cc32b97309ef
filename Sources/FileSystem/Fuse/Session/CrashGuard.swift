import CFuse3
import Glibc

/// What is left of a process that crashes: a line in its error output that names the request which caused it, and if wanted a new process.
///
/// Kept for threads that read requests. Without a new process the runtime's own handler comes after the line, where it has one.
package enum CrashGuard {
    static let slot = ThreadSlot()

    /// Writes such a line from now on. Once for each process.
    package static func install() { cfuse_crash_install(slot.key) }

    /// From now on a crash replaces the process by one of the same program, with the same process id and these arguments, and one more:
    /// how often it has crashed in a row. Ten minutes without a crash end a row.
    ///
    /// - Parameter crashes: the last such number, 0 for a process that was started otherwise.
    package static func startAgain(arguments: [String], crashes: Int) {
        // Both live as long as the process does.
        let count = UnsafeMutablePointer<CChar>.allocate(capacity: 5)
        count.initialize(repeating: 0, count: 5)
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 2)
        for (index, argument) in arguments.enumerated() { (pointers + index).initialize(to: strdup(argument)) }
        (pointers + arguments.count).initialize(to: count)
        (pointers + arguments.count + 1).initialize(to: nil)
        cfuse_crash_restart(pointers, count, Int32(clamping: crashes))
    }

    /// How long a process waits that was started after that many crashes in a row: a second, twice as long each time, five minutes at most.
    package static func pause(before crashes: Int) -> Duration {
        crashes <= 0 ? .zero : .seconds(min(300, 1 << min(crashes - 1, 9)))
    }

    /// Lets the signals of a crash through on this thread: blocked, they end the process without a word.
    static func unblockSignals() { cfuse_unblock_crash_signals() }
}

/// The message that a thread handles, for the line of a crash.
final class RequestNote {
    private let note: UnsafeMutablePointer<cfuse_request_note>

    /// For the thread that makes it.
    init() {
        note = .allocate(capacity: 1)
        note.initialize(to: cfuse_request_note(message: nil, size: 0))
        CrashGuard.slot.value = UnsafeMutableRawPointer(note)
    }

    deinit {
        CrashGuard.slot.value = nil
        note.deallocate()
    }

    func begin(_ message: UnsafeRawPointer, size: Int) {
        note.pointee = cfuse_request_note(message: message.assumingMemoryBound(to: UInt8.self), size: size)
    }

    func end() { note.pointee.size = 0 }
}
