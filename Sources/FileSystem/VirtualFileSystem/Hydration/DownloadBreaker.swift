package import LocalMetadata

/// Decides which programs are refused placeholders for looking into many of them, such as a search or an unlisted
/// indexer. Pure.
///
/// A look is a placeholder opened by a program, read in its first part only, and closed. Programs that copy read
/// documents whole and never look. Times are durations since any fixed moment.
package struct DownloadBreaker: Sendable {
    /// The extent read of a placeholder between an open and a close.
    package struct Reading: Hashable, Sendable {
        package let node: NodeID
        package let size: UInt64
        /// Where the furthest read ended; 0 without a read.
        package let end: UInt64

        package init(_ node: NodeID, size: UInt64, end: UInt64) {
            self.node = node
            self.size = size
            self.end = end
        }

        /// Whether only the first part was read. An unread document reveals nothing, and nothing was downloaded for it.
        var isLook: Bool { end > 0 && end <= DownloadAllowance.headSize && end < size }
    }

    /// A program refused placeholders for now.
    package struct Refusal: Hashable, Sendable {
        package let program: String
        /// The remaining time.
        package let remaining: Duration

        /// ``remaining`` in whole seconds, rounded up.
        package var seconds: UInt64 { UInt64(max(0, (remaining / .seconds(1)).rounded(.up))) }
    }

    /// More looks than this within ``window`` trip the breaker.
    package static let maximumLooks = 64
    package static let window = Duration.seconds(60)
    /// How long a program is refused placeholders.
    package static let pause = Duration.seconds(600)
    /// The number of watched programs at a time, and of allowed programs; beyond it the least recent are forgotten.
    package static let maximumPrograms = 64

    private struct Program {
        /// The distinct documents that it looked into, in the order of their times; at most ``maximumLooks`` + 1.
        var looks: [(node: NodeID, at: Duration)] = []
        var refusedUntil: Duration?
        /// When it was last seen.
        var latest: Duration
    }

    private var programs: [String: Program] = [:]
    /// Programs allowed by the user to look into any number of documents, the latest last.
    private var allowed: [String] = []

    package init() {}

    /// Returns whether a program may open placeholders.
    package mutating func permits(_ program: String, at now: Duration) -> Bool {
        guard let until = programs[program]?.refusedUntil else { return true }
        guard now >= until else { return false }
        programs[program] = nil
        return true
    }

    /// Notes that a program closed a placeholder.
    ///
    /// - Returns: Whether the program is refused placeholders from now on.
    package mutating func closed(_ reading: Reading, by name: String, at now: Duration) -> Bool {
        guard reading.end > 0, !allowed.contains(name), permits(name, at: now) else { return false }
        guard var program = programs[name] ?? (reading.isLook ? Program(latest: now) : nil) else { return false }
        program.latest = now
        // A time from before the clock was set back is as good as any: the oldest looks go first.
        program.looks.removeAll { $0.node == reading.node || now - $0.at >= Self.window }
        if reading.isLook { program.looks.append((reading.node, now)) }
        let isTripped = program.looks.count > Self.maximumLooks
        if isTripped {
            program.looks = []
            program.refusedUntil = now + Self.pause
        }
        programs[name] = program.looks.isEmpty && !isTripped ? nil : program
        forget()
        return isTripped
    }

    /// Lets a program look into any number of documents, as decided by its user.
    package mutating func allow(_ program: String) {
        programs[program] = nil
        allowed.removeAll { $0 == program }
        allowed.append(program)
        if allowed.count > Self.maximumPrograms { allowed.removeFirst() }
    }

    /// Returns the programs refused placeholders, by name.
    package func refusals(at now: Duration) -> [Refusal] {
        programs.compactMap { name, program in
            guard let until = program.refusedUntil, now < until else { return nil }
            return Refusal(program: name, remaining: until - now)
        }.sorted { $0.program < $1.program }
    }

    /// The number of remembered programs and looks.
    package var size: (programs: Int, looks: Int) {
        (programs.count, programs.values.reduce(0) { $0 + $1.looks.count })
    }

    /// Forgets a program if there are too many, preferring programs that are not refused.
    private mutating func forget() {
        guard programs.count > Self.maximumPrograms else { return }
        let oldest = programs.min {
            ($0.value.refusedUntil == nil ? 0 : 1, $0.value.latest) < (
                $1.value.refusedUntil == nil ? 0 : 1, $1.value.latest
            )
        }
        if let oldest { programs[oldest.key] = nil }
    }
}
