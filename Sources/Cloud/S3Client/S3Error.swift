/// Why a bucket did not perform an operation.
package struct S3Error: Error, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The object to create exists.
        case taken
        /// A concurrent request for the same key was in progress.
        case conflict
        /// Too many requests.
        case throttled
        /// No connection, no reply in time, or a failure within the store.
        case unavailable
        case noKey
        case noBucket
        case denied
        /// The access key is unknown to the store, or the signature does not match its secret.
        case wrongCredentials
        case expiredCredentials
        /// This device's clock differs too much from the store's.
        case wrongClock
        case wrongRegion
        /// The store does not support the operation.
        case unsupported
        /// The byte range is outside the object.
        case noRange
        /// The store, or the account's share of it, is full.
        case full
        /// The reply exceeds its caller's limit.
        case tooLong
        /// The reply violates the protocol.
        case damaged
        /// The request is impossible: a bad key, no credentials.
        case invalid
    }

    package let code: Code
    /// The problem, the affected object, and the remedy.
    package let message: String
    package let cause: (any Error)?
    /// The store's requested wait before a retry.
    let wait: Duration?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil, wait: Duration? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.wait = wait
    }

    package var description: String { message }
}

extension S3Error.Code {
    /// Whether the same request may succeed in a moment.
    package var isPassing: Bool {
        switch self {
        case .conflict, .throttled, .unavailable: true
        case .taken, .noKey, .noBucket, .denied, .wrongCredentials, .expiredCredentials, .wrongClock, .wrongRegion,
            .unsupported, .noRange, .full, .tooLong, .damaged, .invalid:
            false
        }
    }
}
