import Hummingbird
import Logging
import ServerStorage
import Synchronization

/// The audit log: who did what, for the server's owner and for programs such as fail2ban. Each action is one log line
/// with the address, the account and the device. Lines about refusals are bounded, because every client can cause them.
final class Audit: Sendable {
    private let store: ServerStore
    private let lines = Mutex(LineAllowance())
    private let start = ContinuousClock.now

    init(_ store: ServerStore) { self.store = store }

    /// Logs an action for later tracing.
    func note(
        _ action: String, _ context: ServerContext, account: String, _ more: Logger.Metadata = [:]
    ) {
        // A single word, so programs can split a line at its spaces.
        let action = action.split(separator: " ").joined(separator: "-")
        var metadata: Logger.Metadata = ["audit": "\(action)", "account": "\(account)", "peer": "\(context.peer)"]
        if let device = context.device { metadata["device"] = "\(device)" }
        context.logger.notice("audit", metadata: metadata.merging(more) { $1 })
    }

    /// Logs an action of an account known by its number. If the account's name cannot be read, the line has the number
    /// instead.
    func note(
        _ action: String, _ context: ServerContext, account: AccountID, _ more: Logger.Metadata = [:]
    ) async {
        let name = try? await store.accounts.name(of: account)
        note(action, context, account: name ?? "#\(account.value)", more)
    }

    /// Returns why a sign-in was refused, or nil if the error is not a refusal. A missing second factor is a normal
    /// step of a sign-in.
    static func reason(_ error: StorageError) -> String? {
        switch error.code {
        case .unauthorized: "code"
        case .secondFactor: "secondFactor"
        default: nil
        }
    }

    /// Logs a refused request. `reason` is `code`, `secondFactor`, `passkey`, `token`, `password`, or `tooMany`
    /// attempts.
    func refused(_ reason: String, _ context: ServerContext, _ more: Logger.Metadata = [:]) {
        let now = ContinuousClock.now - start
        guard let left = lines.withLock({ $0.take(context.peerGroup, now: now) }) else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)", "peer": "\(context.peer)"]
        if left > 0 { metadata["leftOut"] = "\(left)" }
        context.logger.notice("sign-in refused", metadata: metadata.merging(more) { $1 })
    }
}

/// Bounds how many lines about refusals are written, for each address and for all together. Pure; the caller passes the time.
struct LineAllowance {
    private static let window = Duration.seconds(60)
    /// The most lines per window; enough for any attack-detection rule.
    private static let perAddress = 10
    private static let forAll = 600

    private var since = Duration.zero
    private var counts: [String: Int] = [:]
    private var total = 0
    private var leftOut = 0

    /// Returns the number of lines dropped before this line, or nil if this line is dropped too.
    mutating func take(_ address: String, now: Duration) -> Int? {
        if now - since >= Self.window {
            (since, counts, total) = (now, [:], 0)
        }
        guard total < Self.forAll, counts[address] ?? 0 < Self.perAddress else {
            leftOut += 1
            return nil
        }
        total += 1
        counts[address, default: 0] += 1
        defer { leftOut = 0 }
        return leftOut
    }
}
