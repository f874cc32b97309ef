import Foundation
import Synchronization

/// Performs work on the run loop of the thread that created it, and keeps that run loop from ending for want of a source.
///
/// `RunLoop.perform(_:)` of Foundation on Linux does not wake a run loop that waits; a new date of a timer does (`CFRunLoopTimerSetNextFireDate`
/// may be called from any thread).
// The timer is only used by methods that any thread may call.
final class RunLoopDelivery: @unchecked Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private var timer: Timer?
    private static let never: TimeInterval = 1e9

    init() {
        let timer = Timer(timeInterval: Self.never, repeats: true) { [weak self] _ in self?.performAll() }
        self.timer = timer
        RunLoop.current.add(timer, forMode: .common)
    }

    /// Returns a delivery for the calling thread; nil for the main thread, whose queue serves, and for a task, which has no thread of its own.
    static func ofThread() -> RunLoopDelivery? {
        Thread.isMainThread || withUnsafeCurrentTask { $0 != nil } ? nil : RunLoopDelivery()
    }

    func perform(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
        timer?.fireDate = Date()
    }

    /// Work that has not begun is not performed any more.
    func end() {
        work.withLock { $0 = [] }
        timer?.invalidate()
    }

    private func performAll() {
        for body in work.withLock({ work in
            defer { work = [] }
            return work
        }) { body() }
    }
}
