public import Foundation
import Synchronization

extension Notification.Name {
    /// The cloud is another one, or there is none any more: ask ``Foundation/FileManager/ubiquityIdentityToken`` again.
    public static let NSUbiquityIdentityDidChange = Notification.Name("NSUbiquityIdentityDidChange")
}

/// Looks every two seconds whether the cloud is still the one that a program was told of: daemons come and go as files of a registry, and tell
/// nobody who is not connected. Begins when a program first asks.
final class IdentityWatch: Sendable {
    static let shared = IdentityWatch()

    private let last = Mutex<String?>(nil)
    private let isRunning = Atomic(false)

    /// The program was told this.
    func note(_ token: String?) {
        last.withLock { $0 = token }
        guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lookLater()
    }

    private func lookLater() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 2) { [self] in
            let token = FileManager.identity()
            let isNews = last.withLock { last in
                defer { last = token }
                return last != token
            }
            if isNews { NotificationCenter.default.post(name: .NSUbiquityIdentityDidChange, object: nil) }
            lookLater()
        }
    }
}
