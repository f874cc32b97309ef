import Foundation
import Synchronization

/// The measurements of all devices together.
final class Figures: Sendable {
    private struct State {
        var appends: [Float] = []
        var seen: [Float] = []
        var chunks: [Float] = []
        var failures = 0
        var isGivenUp = false
    }

    private let state = Mutex(State())

    func appended(_ duration: Duration) { state.withLock { $0.appends.append(Float(duration / .milliseconds(1))) } }
    func put(_ duration: Duration) { state.withLock { $0.chunks.append(Float(duration / .milliseconds(1))) } }
    func saw(_ milliseconds: Double) { state.withLock { $0.seen.append(Float(milliseconds)) } }
    func failed() { state.withLock { $0.failures += 1 } }

    func gaveUp() { state.withLock { $0.isGivenUp = true } }
    /// Whether a device gave up on appending an entry.
    var hasGivenUp: Bool { state.withLock { $0.isGivenUp } }

    func report(seconds: Double) -> String {
        let state = state.withLock { $0 }
        let rate = Double(state.appends.count) / seconds
        return """
            changes acknowledged: \(state.appends.count), \(Int(rate)) a second, requests tried again: \(state.failures)
            acknowledged after: \(Self.distribution(state.appends))
            seen by another device after: \(Self.distribution(state.seen))
            chunks acknowledged after: \(Self.distribution(state.chunks))
            """
    }

    private static func distribution(_ values: [Float]) -> String {
        let sorted = values.sorted()
        guard let last = sorted.last else { return "none" }
        let parts = [(50, "median"), (95, "95 %"), (99, "99 %")].map { percent, name in
            "\(name) \(String(format: "%.1f", sorted[min(sorted.count - 1, sorted.count * percent / 100)])) ms"
        }
        return parts.joined(separator: ", ") + ", longest \(String(format: "%.0f", last)) ms, of \(sorted.count)"
    }
}
