import CloudProtocol
import Glibc
import Hummingbird
import NIOCore
import NIOHTTP1
import ServerStorage

/// Request failures, and the failure sent to a client for any error.
enum Refusals {
    static let noToken = CloudFailure(
        .unauthorized, "The device is not signed in, or its access was ended.")
    static let foreign = CloudFailure(
        .foreign, "This account's cloud is not the one that the device has synced with.")
    static let readOnly = CloudFailure(
        .forbidden, "This device is signed in with read-only access (--scope read), so it cannot change anything.")
    static let busy = CloudFailure(.busy, "The server is busy; try again soon.")
    /// Not a failure of the server: any client can end its connection within a body, as often as it likes.
    static let ended = CloudFailure(.invalidRequest, "The connection ended before the request did.")
    static let slow = CloudFailure(.busy, "The request did not arrive in time.")

    static func failure(of error: any Error) -> CloudFailure {
        switch error {
        case let error as CloudFailure: error
        case let error as StorageError: CloudFailure(code(of: error.code), error.message)
        case let error as any HTTPResponseError: failure(ofStatus: error.status.code)
        case is HTTPParserError, is ChannelError, is CancellationError: ended
        case let error as IOError where [ECONNRESET, EPIPE, ENOTCONN].contains(error.errnoCode): ended
        default: CloudFailure(.failed, "The server failed to handle the request; its log says why.")
        }
    }

    /// Returns the failure for a status with which the library refuses a request before it reaches a route.
    private static func failure(ofStatus status: Int) -> CloudFailure {
        switch status {
        case 404, 405: CloudFailure(.notFound, "There is nothing at this path.")
        case 413: CloudFailure(.tooLarge, "The body exceeds this route's limit.")
        case 400..<500: CloudFailure(.invalidRequest, "Bad request: the server could not parse it (status \(status)).")
        default: CloudFailure(.failed, "The server failed to handle the request; its log says why.")
        }
    }

    private static func code(of code: StorageError.Code) -> CloudFailure.Code {
        switch code {
        case .notFound: .notFound
        case .noCloud: .noCloud
        case .damaged: .damaged
        case .diverged: .diverged
        case .quota: .quota
        case .full: .serverFull
        case .tooLarge: .tooLarge
        case .invalid: .invalidRequest
        case .unauthorized: .unauthorized
        case .secondFactor: .secondFactor
        case .otherAccount: .foreign
        case .unsupported: .clientTooNew
        case .busy: .busy
        case .inUse, .tooNew, .failed: .failed
        }
    }
}
