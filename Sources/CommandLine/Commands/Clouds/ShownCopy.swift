import Basics
import DaemonProtocol
import Glibc

/// A cloud copy by the daemon's program, with its progress: on a terminal a single line, otherwise a line every ten
/// seconds.
struct ShownCopy {
    private let arguments: [String]
    private let target: String
    private let isShown: Bool

    /// - Parameter isMove: Whether a mount moves to the target, where other devices may already have moved.
    init(from source: String, to target: String, isMove: Bool = false, isShown: Bool) {
        arguments = ["copy-cloud"] + (isMove ? ["--move"] : []) + ["--", source, target]
        self.target = target
        self.isShown = isShown
    }

    func run() throws -> CloudCopyState {
        var display = LiveDisplay()
        var next = ContinuousClock.now + (Terminal.isInteractive ? .zero : .seconds(10))
        var estimate = TimeLeft()
        var result: CloudCopyState?
        var failure: DaemonFailure?
        let program = try DaemonLauncher(arguments: [], state: "").program
        try HelperProgram(path: program).run(arguments) { line in
            guard let message = try? ControlFrame.decode(CloudCopyMessage.self, from: line) else { return }
            result = message.result ?? result
            failure = message.failure ?? failure
            guard let progress = message.progress, isShown else { return }
            let now = ContinuousClock.now
            let left = estimate.note(progress.fraction, at: now)
            guard now >= next else { return }
            next = now + (Terminal.isInteractive ? .milliseconds(200) : .seconds(10))
            display.show([Self.line(progress, left)])
        }
        display.clear()
        if let failure { throw CommandFailure(failure) }
        guard let result else {
            throw CommandFailure(.failed, "the copy ended early", path: target, advice: "Run it again to continue.")
        }
        return result
    }

    static func line(_ state: CloudCopyState, _ left: Duration?) -> String {
        guard state.totalEntries > 0 else { return "Counting what is to be copied …" }
        let percent = Int((state.fraction * 100).rounded(.down))
        let amounts = """
            \(ByteCount(state.doneBytes)) of \(ByteCount(state.totalBytes)), \
            \(state.doneEntries) of \(state.totalEntries) entries
            """
        return "Copying: \(percent) % (\(amounts))" + (left.map { ", \(TimeLeft.text($0))" } ?? "")
    }
}

extension CloudCopyState {
    /// The cost of an entry beside its bytes: a request.
    private static let entryCost = 65_536.0

    /// The completed fraction from 0 to 1.
    var fraction: Double {
        func cost(_ bytes: UInt64, _ entries: UInt64) -> Double { Double(bytes) + Double(entries) * Self.entryCost }
        let total = cost(totalBytes, totalEntries)
        return total > 0 ? min(1, cost(doneBytes, doneEntries) / total) : 0
    }
}
