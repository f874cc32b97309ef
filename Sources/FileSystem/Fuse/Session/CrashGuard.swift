import Basics
import CFuse3
import Glibc
import Synchronization

/// The traces of a crashing process: a line in its error output naming the request behind the crash, and a new process
/// if requested.
///
/// Active for threads that read requests. Without a new process the runtime's own handler, if any, runs after the line
/// is written.
package enum CrashGuard {
    static let slot = ThreadSlot()

    /// Writes such a line from now on. Call it once per process.
    package static func install() { cfuse_crash_install(slot.key) }

    /// Keeps the control used by a crash open: its number must not be reused for another file.
    private static let control = Mutex<FuseControl?>(nil)

    /// From now on, a crash aborts this connection, so a thread waiting in the kernel for a program of the connection
    /// cannot keep the crashed process.
    static func abortsConnection(_ connection: FuseControl) {
        control.withLock { control in
            cfuse_crash_control(connection.descriptor)
            control = connection
        }
    }

    /// From now on, a crash replaces the process by a new one of the same program, with the same process id, these
    /// arguments and an additional one: how often it has crashed in a row. Ten minutes without a crash end a row.
    ///
    /// - Parameter crashes: the last such number; 0 for a process not started by a crash.
    package static func startAgain(arguments: [String], crashes: Int) {
        // Both live as long as the process.
        let count = UnsafeMutablePointer<CChar>.allocate(capacity: 5)
        count.initialize(repeating: 0, count: 5)
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 2)
        for (index, argument) in arguments.enumerated() { (pointers + index).initialize(to: strdup(argument)) }
        (pointers + arguments.count).initialize(to: count)
        (pointers + arguments.count + 1).initialize(to: nil)
        cfuse_crash_restart(pointers, count, Int32(clamping: crashes))
    }

    /// Returns the wait of a process started after that many crashes in a row: one second, doubled each time, at most
    /// five minutes.
    package static func pause(before crashes: Int) -> Duration {
        crashes <= 0 ? .zero : .seconds(min(300, 1 << min(crashes - 1, 9)))
    }

    /// Unblocks the signals of a crash on this thread: while they are blocked, a crash ends the process without a message.
    static func unblockSignals() { cfuse_unblock_crash_signals() }
}

/// The message handled by a thread, for the line of a crash.
final class RequestNote {
    private let note: UnsafeMutablePointer<cfuse_request_note>

    /// Creates the note of the calling thread.
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
