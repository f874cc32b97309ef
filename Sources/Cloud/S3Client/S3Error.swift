/// Why a bucket did not perform an operation.
package struct S3Error: Error, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The object that was to be created exists.
        case taken
        /// Another request for the same key was under way.
        case conflict
        /// Too many requests.
        case throttled
        /// No connection, no reply in time, or a failure within the store.
        case unavailable
        case noKey
        case noBucket
        case denied
        /// The store does not know the access key, or the signature does not match its secret.
        case wrongCredentials
        case expiredCredentials
        /// This device's clock differs too much from the store's.
        case wrongClock
        case wrongRegion
        /// The store does not support the operation.
        case unsupported
        /// The range of bytes is outside of the object.
        case noRange
        /// The store, or the account's share of it, is full.
        case full
        /// The reply is longer than its caller accepts.
        case tooLong
        /// The reply is not what the protocol says.
        case damaged
        /// The request cannot be made: a bad key, no credentials.
        case invalid
    }

    package let code: Code
    /// What happened, to what, and what to do.
    package let message: String
    package let cause: (any Error)?
    /// How long the store asks to wait before a retry.
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
