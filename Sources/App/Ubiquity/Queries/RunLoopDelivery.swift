import Foundation
import Synchronization

/// Performs work on its creating thread's run loop, and keeps that run loop from ending for want of a source.
///
/// `RunLoop.perform(_:)` of Foundation on Linux does not wake a waiting run loop; a timer's new date does
/// (`CFRunLoopTimerSetNextFireDate` may be called from any thread).
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

    /// Returns a delivery for the calling thread; nil for the main thread, whose queue serves, and for a task, which
    /// has no dedicated thread.
    static func ofThread() -> RunLoopDelivery? {
        Thread.isMainThread || withUnsafeCurrentTask { $0 != nil } ? nil : RunLoopDelivery()
    }

    func perform(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
        timer?.fireDate = Date()
    }

    /// Work not yet begun is dropped.
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
