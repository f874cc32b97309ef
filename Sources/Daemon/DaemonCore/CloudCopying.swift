import CloudAccess
import CloudModel
import CloudStorage
package import DaemonProtocol
package import Logging
import Maintenance

/// Copies a cloud into another, for `ubiquity cloud copy`. Needs no mount: it reads and writes clouds only.
package enum CloudCopying {
    /// - Parameters:
    ///   - source: The address of the cloud to copy, as for `--cloud`.
    ///   - target: The address of the cloud to copy into, created if it does not exist.
    ///   - isMove: Whether a device moves to the target, possibly after other devices.
    /// - Returns: The amounts copied.
    package static func copy(
        from source: String, to target: String, isMove: Bool, currentDirectory: String, logger: Logger,
        onProgress: @escaping (CloudCopyState) -> Void
    ) async throws(DaemonFailure) -> CloudCopyState {
        let addresses = try [source, target].map { text throws(DaemonFailure) in
            try CloudAddress(text, currentDirectory: currentDirectory)
        }
        return try await copy(addresses[0], addresses[1], isMove ? .move : .copy, logger) {
            onProgress(CloudCopyState($0))
        }
    }

    /// Adds a device's new data to its next cloud, while nothing of this device writes.
    static func finishMove(from source: CloudAddress, to target: CloudAddress, _ logger: Logger)
        async throws(DaemonFailure)
    {
        _ = try await copy(source, target, .rest, logger) { _ in }
    }

    private static func copy(
        _ source: CloudAddress, _ target: CloudAddress, _ purpose: CloudCopy.Purpose, _ logger: Logger,
        _ onProgress: @escaping (CloudCopyProgress) -> Void
    ) async throws(DaemonFailure) -> CloudCopyState {
        do {
            var copy = CloudCopy(
                from: try source.backend(logger), to: try target.backend(logger), for: purpose, onProgress: onProgress)
            return CloudCopyState(try await copy.run())
        } catch {
            throw failure(error, target.description)
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
        (totalEntries, totalBytes) = (progress.totalEntries, progress.totalBytes)
        (doneEntries, doneBytes) = (progress.doneEntries, progress.doneBytes)
    }
}
