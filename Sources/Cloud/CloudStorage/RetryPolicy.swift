/// Decides when to retry after a cloud error. Pure; the caller passes the random generator.
///
/// Pauses double from `first` to `longest`. Half of each pause is fixed and half is jitter, so that devices that lost a
/// cloud together do not return together.
package struct RetryPolicy: Hashable, Sendable {
    package let first: Duration
    package let longest: Duration

    /// By default `longest` is five minutes: longer than a server's restart, yet short enough for a laptop opened in
    /// the morning. ``CloudEvent/reachabilityChanged`` cuts a pause short.
    package init(first: Duration = .seconds(1), longest: Duration = .seconds(300)) {
        self.first = first
        self.longest = longest
    }

    /// Returns the pause after this many consecutive failures (from 1); nil if a retry cannot succeed without a
    /// person's help.
    package func pause(
        after failures: Int, _ code: CloudError.Code, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        switch code.remedy {
        case .time: jittered(longest(of: failures), using: &generator)
        case .user: jittered(longest, using: &generator)
        case .none: nil
        }
    }

    /// Returns the part of the pause that cannot be cut short, because each change requests a retry, and a waiting
    /// caller does so many times a second. Zero after the first failures, so that a briefly absent cloud is used again
    /// immediately.
    package func floor(after failures: Int, _ code: CloudError.Code) -> Duration {
        guard failures > 2 else { return .zero }
        return switch code.remedy {
        case .time: min(.seconds(1), longest(of: failures - 2) / 8)
        case .user, .none: min(.seconds(5), longest(of: failures - 2))
        }
    }

    private func longest(of failures: Int) -> Duration {
        var pause = first
        var doublings = failures - 1
        while doublings > 0, pause < longest {
            pause *= 2
            doublings -= 1
        }
        return min(pause, longest)
    }

    private func jittered(_ pause: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        pause / 2 + pause / 2 * Double.random(in: 0..<1, using: &generator)
    }
}

extension CloudError.Code {
    package enum Remedy: Hashable, Sendable {
        /// The problem may end at any moment.
        case time
        /// The problem ends once the user has freed space or given permission; there is no notification of that, so the
        /// request is retried periodically.
        case user
        /// A retry of the same request fails the same way.
        case none
    }

    package var remedy: Remedy {
        switch self {
        case .offline, .failed: .time
        case .diverged, .quota, .readOnly, .tooOld, .unauthorized: .user
        case .notFound, .damaged, .tooNew, .foreign: .none
        }
    }
}
