import Foundation
import Ubiquity

/// Measures how long a coordinated read takes, and how long a message and its reply take between any two processes.
extension PresenterTool {
    static func measure(_ arguments: [String]) throws {
        let url = URL(filePath: arguments[2])
        let clock = ContinuousClock()
        var times: [Duration] = []
        let start = clock.now
        for _ in 0..<(Int(arguments[3]) ?? 0) {
            var error: NSError?
            var isRead = false
            let began = clock.now
            NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: &error) { _ in
                isRead = true
            }
            times.append(clock.now - began)
            guard isRead else { throw error ?? NSError(domain: "presenter-tool", code: 1) }
        }
        say(times, in: clock.now - start)
    }

    private static func say(_ times: [Duration], in whole: Duration) {
        let rate = Double(times.count) / (whole / .seconds(1))
        say("median \(times.sorted()[times.count / 2] / .microseconds(1)) us, \(Int(rate)) a second")
    }

    static func echo() {
        var buffer = [UInt8](repeating: 0, count: 256)
        while case let count = recv(0, &buffer, buffer.count, 0), count > 0 { send(0, buffer, count, 0) }
    }

    static func bounce(_ count: Int) {
        let clock = ContinuousClock()
        // As long as a request for a claim.
        var message = [UInt8](repeating: 1, count: 200)
        var times: [Duration] = []
        let start = clock.now
        for _ in 0..<count {
            let began = clock.now
            send(0, message, message.count, 0)
            guard recv(0, &message, message.count, Int32(MSG_WAITALL)) == message.count else { return }
            times.append(clock.now - began)
        }
        say(times, in: clock.now - start)
    }
}
