import Basics

/// An error body of a response ("Error responses", Amazon S3 API Reference).
struct S3Refusal: Hashable, Sendable {
    /// The code, such as `NoSuchKey`; empty for a response without a body, as to a HEAD.
    var code = ""
    var message = ""
    /// The store's clock, from a refusal of a signature's time.
    var serverTime: Timestamp?
    /// The region of the bucket.
    var region: String?

    init(code: String = "") { self.code = code }

    /// - Returns: Nil for a body that is not an object store's error.
    init?(parsing body: [UInt8]) {
        guard let root = try? XMLElement(parsing: body) else { return nil }
        // Some stores wrap the error as Amazon's older services do.
        guard let error = root.name == "Error" ? root : root.child("Error"), let code = error["Code"] else {
            return nil
        }
        self.init(error, code: code)
    }

    private init(_ error: XMLElement, code: String) {
        self.code = Self.visible(code, limit: 100)
        message = Self.visible(error["Message"] ?? "", limit: 500)
        serverTime = error["ServerTime"].flatMap(S3Time.parse)
        region = error["Region"].flatMap { (try? S3Location.check(region: $0)) == nil ? nil : $0 }
    }

    /// Returns a server's text without characters that could control a terminal.
    static func visible(_ text: String, limit: Int) -> String {
        let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        let scalars = text.unicodeScalars.prefix(limit).map {
            hidden.contains($0.properties.generalCategory) ? "?" : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension S3Error.Code {
    /// Returns the meaning of a refusal; nil for a refusal not used by object stores.
    init?(_ refusal: S3Refusal, status: Int) {
        if refusal.code == "AuthorizationHeaderMalformed", refusal.region == nil {
            self = .wrongCredentials
        } else if let code = Self.meanings[refusal.code] {
            self = code
        } else if let code = Self.statuses[status] {
            self = code
        } else {
            return nil
        }
    }

    private static let meanings: [String: S3Error.Code] = [
        "PreconditionFailed": .taken, "ConditionalRequestConflict": .conflict, "OperationAborted": .conflict,
        "SlowDown": .throttled, "Throttling": .throttled, "TooManyRequests": .throttled,
        "RequestLimitExceeded": .throttled, "ServiceUnavailable": .throttled, "InternalError": .unavailable,
        "RequestTimeout": .unavailable, "NoSuchKey": .noKey, "NoSuchBucket": .noBucket, "AccessDenied": .denied,
        "AllAccessDisabled": .denied, "InvalidAccessKeyId": .wrongCredentials,
        "SignatureDoesNotMatch": .wrongCredentials, "InvalidToken": .wrongCredentials,
        "ExpiredToken": .expiredCredentials, "TokenRefreshRequired": .expiredCredentials,
        "RequestTimeTooSkewed": .wrongClock, "RequestExpired": .wrongClock, "PermanentRedirect": .wrongRegion,
        "TemporaryRedirect": .wrongRegion, "AuthorizationHeaderMalformed": .wrongRegion,
        "NotImplemented": .unsupported, "InvalidRange": .noRange, "QuotaExceeded": .full,
        "XMinioStorageFull": .full, "EntityTooLarge": .invalid, "KeyTooLongError": .invalid,
        // The bytes changed in transit.
        "BadDigest": .unavailable, "XAmzContentSHA256Mismatch": .unavailable,
    ]

    private static let statuses: [Int: S3Error.Code] = [
        301: .wrongRegion, 307: .wrongRegion, 400: .invalid, 401: .denied, 403: .denied, 404: .noKey,
        408: .unavailable, 409: .conflict, 412: .taken, 416: .noRange, 429: .throttled, 500: .unavailable,
        501: .unsupported, 502: .unavailable, 503: .throttled, 504: .unavailable, 507: .full,
    ]
}
