import DaemonProtocol
import Foundation

/// Bytes needed by an accessor and missing on this device.
enum MissingContent: Sendable {
    /// A file's or package's content.
    case document(MountAuthority, path: String)
    /// A version's content in the cloud.
    case version(MountAuthority, FetchVersionRequest)

    /// Fetches the bytes, and returns when they are local. The daemon reports an error if none have arrived for
    /// ``Patience/limit``.
    func fetch(_ call: AccessCall) throws(CoordinationFailure) {
        let outcome = BlockingPromise<CoordinationFailure?>()
        fetch(call) { outcome.put($0) }
        if let failure = outcome.take() { throw failure }
    }

    /// Fetches the bytes without waiting. The completion is called once, on any thread, which must not be blocked, with
    /// the failure, if any.
    func fetch(_ call: AccessCall, _ completion: @escaping @Sendable (CoordinationFailure?) -> Void) {
        let once = Once()
        let end: @Sendable (CoordinationFailure?) -> Void = { if once.isFirst() { completion($0) } }
        do throws(DaemonFailure) {
            let drop = try request(end)
            call.wait {
                end(.cancelled)
                drop()
            }
        } catch { end(CoordinationFailure(error)) }
    }

    /// - Returns: A function to cancel the request.
    private func request(
        _ end: @escaping @Sendable (CoordinationFailure?) -> Void
    ) throws(DaemonFailure) -> @Sendable () -> Void {
        switch self {
        case .document(let mount, let path):
            try mount.send(DownloadRequest(paths: [try mount.path(path)], wait: true)) { answer in
                end(Self.failure(answer) { $0.outcomes.lazy.compactMap(\.failure).first })
            }
        case .version(let mount, let request):
            try mount.send(request) { answer in end(Self.failure(answer) { _ in nil }) }
        }
    }

    private static func failure<Response>(
        _ answer: Result<Response, DaemonFailure>, in response: (Response) -> DaemonFailure?
    ) -> CoordinationFailure? {
        switch answer {
        case .success(let value): response(value).map { CoordinationFailure($0) }
        case .failure(let failure): CoordinationFailure(failure)
        }
    }
}
