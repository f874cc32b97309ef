import DaemonProtocol
import Foundation

/// Bytes that an accessor will read and that are not on this device.
enum MissingContent: Sendable {
    /// Of a file, or of a package.
    case document(MountAuthority, path: String)
    /// Of a version that the cloud has.
    case version(MountAuthority, FetchVersionRequest)

    private func request() throws(DaemonFailure) -> (MountAuthority, DaemonRequest) {
        switch self {
        case .document(let mount, let path):
            (mount, .download(DownloadRequest(paths: [try mount.path(path)], wait: true)))
        case .version(let mount, let request): (mount, .fetchVersion(request))
        }
    }

    /// Returns when the bytes are here. The daemon ends it with an error when none have come for ``Patience/limit``.
    func fetch(_ call: AccessCall) throws(CoordinationFailure) {
        let outcome = BlockingPromise<CoordinationFailure?>()
        fetch(call) { outcome.put($0) }
        if let failure = outcome.take() { throw failure }
    }

    /// The same without waiting. The completion is called once, on any thread, which must not be held up: with what went wrong, if anything
    /// did.
    func fetch(_ call: AccessCall, _ completion: @escaping @Sendable (CoordinationFailure?) -> Void) {
        let once = Once()
        let end: @Sendable (CoordinationFailure?) -> Void = { if once.isFirst() { completion($0) } }
        do throws(DaemonFailure) {
            let (mount, request) = try self.request()
            let drop = try mount.send(request) { answer in end(Self.failure(answer)) }
            call.wait {
                end(.cancelled)
                drop()
            }
        } catch { end(CoordinationFailure(error)) }
    }

    private static func failure(_ answer: MountConnection.Answer) -> CoordinationFailure? {
        switch answer {
        case .success(.items(let items)):
            items.outcomes.lazy.compactMap(\.failure).first.map { CoordinationFailure($0) }
        case .success: nil
        case .failure(let failure): CoordinationFailure(failure)
        }
    }
}
