public import Foundation
import Synchronization

extension Notification.Name {
    /// The account is another one, or there is none any more: ask ``Foundation/FileManager/ubiquityIdentityToken`` again. Posted without an
    /// object, on a thread of the library, to every observer, whether or not the program has asked for the token.
    public static let NSUbiquityIdentityDidChange: Notification.Name = {
        // An observer has to name it, so from then on there may be one.
        IdentityWatch.shared.begin()
        return IdentityWatch.notification
    }()
}

/// Looks every two seconds whether the account is still the same: daemons come and go as files of a registry, and send no notification to a program that is not
/// connected. Begins when a program asks for the token or observes the notification.
final class IdentityWatch: Sendable {
    static let shared = IdentityWatch(look: UbiquityIdentity.current) { later in
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2), execute: later)
    }
    static let notification = Notification.Name("NSUbiquityIdentityDidChange")

    private struct State {
        var isRunning = false
        /// Nil before the first look; then what was seen or posted last.
        var last: String??
    }

    private let state = Mutex(State())
    private let look: @Sendable () -> String?
    private let wait: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter wait: Runs what it is given after a while.
    init(
        look: @escaping @Sendable () -> String?, wait: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.look, self.wait) = (look, wait)
    }

    /// The program was given this token.
    func note(_ token: String?) {
        state.withLock { $0.last = .some(token) }
        begin()
    }

    /// Watches from now on.
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
        let isNews = state.withLock { state in
            defer { state.last = .some(token) }
            return state.last.map { $0 != token } ?? false
        }
        if isNews { NotificationCenter.default.post(name: Self.notification, object: nil) }
        wait { [self] in lookAgain() }
    }
}
