/// Why a server refused or failed a request: the JSON body of every error response.
package struct CloudFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable, CaseIterable {
        /// The request is malformed or not possible.
        case invalidRequest
        /// The token is missing or no longer valid.
        case unauthorized
        /// The account's second factor is missing or wrong; the sign-in code stays valid.
        case secondFactor
        /// The device has read-only access.
        case forbidden
        case notFound
        /// The account has no cloud yet; `PUT /v1/cloud` creates it.
        case noCloud
        /// Stored bytes are corrupt.
        case damaged
        /// The request is meant for a different cloud than the account's.
        case foreign
        /// The log does not have the requested position: the server's data is older than the device's, or has a
        /// different history.
        case diverged
        case tooLarge
        /// The account's share of the server is used up.
        case quota
        /// The disk of the server is full.
        case serverFull
        /// There are too many requests; the response has the number of seconds before a retry.
        case busy
        /// The client's version is older than any supported by this server.
        case clientTooOld
        /// The client's version is newer than this server's.
        case clientTooNew
        /// Any other failure.
        case failed

        /// The HTTP status of the code (RFC 9110, RFC 6585, RFC 4918 for 507).
        package var status: Int {
            switch self {
            case .invalidRequest: 400
            case .unauthorized, .secondFactor: 401
            case .forbidden: 403
            case .notFound, .noCloud: 404
            case .damaged, .diverged, .foreign: 409
            case .tooLarge: 413
            case .clientTooOld, .clientTooNew: 426
            case .busy: 429
            case .failed: 500
            case .quota, .serverFull: 507
            }
        }
    }

    package let code: Code
    /// The message for the user: what happened, to what, and what to do; without names of documents.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }

    private enum CodingKeys: String, CodingKey { case code, message }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // An unknown code, added by a newer server, means only that the request failed.
        code = Code(rawValue: try values.decode(String.self, forKey: .code)) ?? .failed
        message = try values.decode(String.self, forKey: .message)
    }
}
