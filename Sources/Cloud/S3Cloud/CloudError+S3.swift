import CloudStorage
import S3Client

extension CloudError {
    /// - Parameter isWriting: Whether the store refused a change; then it may still be readable.
    init(_ error: S3Error, isWriting: Bool) {
        self.init(Self.code(of: error.code, isWriting: isWriting), error.message, cause: error.cause)
    }

    private static func code(of code: S3Error.Code, isWriting: Bool) -> Code {
        switch code {
        case .unavailable, .noBucket: .offline
        case .conflict, .throttled, .taken, .wrongClock, .wrongRegion, .unsupported, .noRange: .failed
        case .noKey: .notFound
        case .denied: isWriting ? .readOnly : .unauthorized
        case .wrongCredentials, .expiredCredentials, .invalid: .unauthorized
        case .full: .quota
        case .tooLong, .damaged: .damaged
        }
    }
}
