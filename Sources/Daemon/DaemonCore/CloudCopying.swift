import CloudAccess
import CloudModel
import CloudStorage
package import DaemonProtocol
package import Logging
import Maintenance

/// Copies a cloud into another one, for `ubiquity cloud copy`. Needs no mount: it reads and writes clouds only.
package enum CloudCopying {
    /// - Parameters:
    ///   - source: The address of the cloud to copy, as `--cloud` takes it.
    ///   - target: The address of the cloud to copy into, which is created if it does not exist.
    /// - Returns: What was copied.
    package static func copy(
        from source: String, to target: String, currentDirectory: String, logger: Logger,
        onProgress: @escaping (CloudCopyState) -> Void
    ) async throws(DaemonFailure) -> CloudCopyState {
        let addresses = try [source, target].map { text throws(DaemonFailure) in
            try CloudAddress(text, currentDirectory: currentDirectory)
        }
        do {
            let (from, to) = (try addresses[0].backend(logger), try addresses[1].backend(logger))
            var copy = CloudCopy(from: from, to: to) { onProgress(CloudCopyState($0)) }
            return CloudCopyState(try await copy.run())
        } catch {
            throw failure(error, target)
        }
    }

    private static func failure(_ error: any Error, _ target: String) -> DaemonFailure {
        switch error {
        case let failure as DaemonFailure: failure
        case is CancellationError:
            DaemonFailure(.cancelled, "the copy was cancelled", path: target, advice: "Run it again to continue.")
        case let error as CloudError: DaemonFailure(code(error.code), sentences: error.message)
        default: DaemonFailure(.failed, "the cloud can not be copied (\(error))", path: target)
        }
    }

    private static func code(_ code: CloudError.Code) -> DaemonFailure.Code {
        switch code {
        case .offline: .offline
        case .notFound: .notFound
        case .damaged, .diverged: .damaged
        case .tooNew, .tooOld: .versionMismatch
        case .foreign: .conflict
        case .quota: .quota
        case .unauthorized, .readOnly: .permissionDenied
        case .failed: .failed
        }
    }
}

extension CloudCopyState {
    fileprivate init(_ progress: CloudCopyProgress) {
        self.init(
            container: progress.container?.text, entries: progress.entries, containers: progress.containers,
            copiedEntries: progress.copiedEntries, chunks: progress.chunks, bytes: progress.bytes,
            incompleteContents: progress.incompleteContents)
    }
}
