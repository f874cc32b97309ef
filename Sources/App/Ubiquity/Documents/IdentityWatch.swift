public import Foundation
import Synchronization

extension Notification.Name {
    /// Posted when the account changes, or when there is no longer an account; read
    /// ``Foundation/FileManager/ubiquityIdentityToken`` again.
    ///
    /// The notification has no object and is posted on a thread of the library, to every observer, whether or not the
    /// program has read the token.
    public static let NSUbiquityIdentityDidChange: Notification.Name = {
        // Observers must use this name, so the watch begins with it.
        IdentityWatch.shared.begin()
        return IdentityWatch.notification
    }()
}

/// Checks every two seconds whether the account is still the same. It polls because daemons appear and disappear as
/// files of a registry, and send no notification to an unconnected program. The watch begins when a program reads the
/// token or observes the notification.
final class IdentityWatch: Sendable {
    static let shared = IdentityWatch(look: UbiquityIdentity.current) { later in
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2), execute: later)
    }
    static let notification = Notification.Name("NSUbiquityIdentityDidChange")

    private struct State {
        var isRunning = false
        /// Nil before the first check; then the last token seen or posted.
        var last: String??
    }

    private let state = Mutex(State())
    private let look: @Sendable () -> String?
    private let wait: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter wait: Runs its argument after a delay.
    init(
        look: @escaping @Sendable () -> String?, wait: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.look, self.wait) = (look, wait)
    }

    /// Records the token given to the program, and begins to watch.
    func note(_ token: String?) {
        state.withLock { $0.last = .some(token) }
        begin()
    }

    /// Begins to watch; a repeated call has no effect.
    func begin() {
        let isNew = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isNew else { return }
        DispatchQueue.global(qos: .utility).async { [self] in lookAgain() }
    }

    private func lookAgain() {
        let token = look()
        let isNew = state.withLock { state in
            defer { state.last = .some(token) }
            return state.last.map { $0 != token } ?? false
        }
        if isNew { NotificationCenter.default.post(name: Self.notification, object: nil) }
        wait { [self] in lookAgain() }
    }
}
