import Coordination

/// Why an access did not begin, or was not held until its end.
struct CoordinationFailure: Error, Sendable {
    enum Code: Sendable { case cancelled, gone, deadlock, busy, disconnected, unavailable, failed }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let cancelled = CoordinationFailure(.cancelled, "The access was cancelled before it began.")
}

extension CoordinationFailure {
    init(_ error: ClaimError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .deadlock: .deadlock
            case .itemGone: .gone
            case .timedOut, .presenterFailed, .presenterKeepsItem: .busy
            }
        self.init(code, error.message)
    }
}
