package import CloudStorage
package import DaemonProtocol
package import Sync

extension CloudStatus {
    /// Creates the status of a readable cloud. A full cloud is named only while uploads are pending.
    package init(url: String, refusal: WriteRefusal?, isAnyPending: Bool) {
        guard let refusal, isAnyPending || refusal.isReadOnly else {
            self.init(url: url, state: .online)
            return
        }
        self.init(
            url: url, state: .online, message: refusal.message, reason: refusal.isReadOnly ? .refused : .full)
    }
}

extension CloudStatus.Reason {
    /// Creates the reason why the cloud is offline; nil if it is not.
    /// - Parameter cause: The kind of the last error of the cloud.
    package init?(_ state: CloudState, _ cause: CloudError.Code?) {
        switch (state, cause) {
        case (.online, _): return nil
        case (.connecting, _): self = .connecting
        case (.stopped, _), (_, .tooOld): self = .stopped
        case (.offline(SwitchableCloud.refusal.message), _): self = .takenOffline
        case (_, .quota): self = .full
        case (_, .readOnly), (_, .unauthorized): self = .refused
        case (.offline, _): self = .unreachable
        }
    }
}
