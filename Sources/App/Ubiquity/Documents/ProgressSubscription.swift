import CloudModel
import DaemonProtocol
import Foundation
import Synchronization

/// A subscription to a document's progress, which survives restarts of the daemon and ends with this object.
final class ProgressSubscription: Sendable {
    private struct State {
        var decision = TransferProgress()
        var progress: Progress?
        var unpublish: Progress.UnpublishingHandler?
        var end: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let url: URL
    private let mount: MountAuthority
    private let path: MountPath
    private let publish: Progress.PublishingHandler
    /// Calls the handlers, in order: the thread reading from the daemon must not be blocked.
    private let queue = DispatchQueue(label: "ubiquity.progress")

    init(_ url: URL, _ mount: MountAuthority, _ path: MountPath, _ publish: @escaping Progress.PublishingHandler) {
        (self.url, self.mount, self.path, self.publish) = (url, mount, path, publish)
    }

    deinit { state.withLock { $0.end }?() }

    func start() {
        do throws(DaemonFailure) {
            let end = try mount.follow(WatchRequest(paths: [path])) { [weak self] event in
                if case .status(let status) = event { self?.take(status.items.first?.state) }
            } onEnd: { [weak self] _ in
                self?.take(nil)
                self?.startLater()
            }
            let isStopped = state.withLock { state in
                state.end = end
                return state.isStopped
            }
            if isStopped { end() }
        } catch { startLater() }
    }

    func stop() {
        let end = state.withLock { state in
            state.isStopped = true
            return state.end.take()
        }
        end?()
        take(nil)
    }

    private func startLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self, !state.withLock({ $0.isStopped }) else { return }
            start()
        }
    }

    private func take(_ new: DocumentState?) {
        queue.async { [self] in
            let actions = state.withLock { $0.decision.handle($0.isStopped ? nil : new) }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: TransferProgress.Action) {
        switch action {
        case .publish(let figures):
            let progress = progress(of: figures)
            let unpublish = publish(progress)
            state.withLock { ($0.progress, $0.unpublish) = (progress, unpublish) }
        case .update(let figures): state.withLock { $0.progress }?.completedUnitCount = figures.completed
        case .unpublish(let isComplete):
            let (progress, unpublish) = state.withLock { state in
                defer { (state.progress, state.unpublish) = (nil, nil) }
                return (state.progress, state.unpublish)
            }
            if isComplete, let progress { progress.completedUnitCount = progress.totalUnitCount }
            unpublish?()
        }
    }

    private func progress(of figures: TransferProgress.Figures) -> Progress {
        let progress = Progress(totalUnitCount: figures.total)
        progress.kind = .file
        progress.setUserInfoObject(url, forKey: .fileURLKey)
        progress.setUserInfoObject(
            figures.direction == .download ? Progress.FileOperationKind.downloading : .uploading,
            forKey: .fileOperationKindKey)
        // The daemon has no request to end a transfer.
        progress.isCancellable = false
        progress.completedUnitCount = figures.completed
        return progress
    }
}
