public import Foundation
import Synchronization

extension UbiquitousDocument {
    /// The progress of the document's current download or upload, in bytes; nil without one, and unless the document is
    /// open or being opened. It can be neither cancelled nor paused.
    public var progress: Progress? { inner.withLock { $0.progress } }

    func followProgress() {
        guard inner.withLock({ $0.transfers == nil }) else { return }
        let token = Progress.addSubscriber(forFileURL: fileURL) { [weak self] progress in
            self?.inner.withLock { $0.progress = progress }
            return { [weak self] in
                self?.inner.withLock { if $0.progress === progress { $0.progress = nil } }
            }
        }
        inner.withLock { $0.transfers = token as? ProgressSubscription }
    }

    /// - Returns: Whether it was followed.
    @discardableResult
    func unfollowProgress() -> Bool {
        let transfers = inner.withLock { inner in
            inner.progress = nil
            return inner.transfers.take()
        }
        transfers?.stop()
        return transfers != nil
    }
}
