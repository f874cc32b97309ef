import Synchronization
package import VirtualFileSystem

/// Keeps a timer's work until the test says that its time has come.
package final class HeldTimer: Sendable {
    private let held = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    package func hold(_ work: @escaping @Sendable () -> Void) { held.withLock { $0.append(work) } }

    package func fire() {
        let due = held.withLock { held in
            defer { held = [] }
            return held
        }
        for work in due { work() }
    }

    /// Close recording delayed until this timer fires.
    package var closing: CloseRecording { .gathered { self.hold($0) } }
}
