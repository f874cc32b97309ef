/// Why a server refused a request, or failed: the JSON body of every error response.
package struct CloudFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    package enum Code: String, Codable, Sendable, CaseIterable {
        /// Malformed, or not possible here.
        case invalidRequest
        /// No token, or one that is not valid any more.
        case unauthorized
        /// The account's second factor is missing or wrong; the sign-in code stays valid.
        case secondFactor
        /// The device may read only.
        case forbidden
        case notFound
        /// The account has no cloud yet; `PUT /v1/cloud` makes it.
        case noCloud
        /// Something is not what was put there.
        case damaged
        /// The account's cloud is another than the one that the request is meant for.
        case foreign
        /// The account's cloud has another identity since it was restored, or since a container was removed: ask for it again.
        case renamed
        case tooLarge
        /// The account's share of the server is used up.
        case quota
        /// The disk of the server is full.
        case serverFull
        /// Too many requests; the answer says after how many seconds to try again.
        case busy
        /// The client's version is older than this server still speaks.
        case clientTooOld
        /// The client's version is newer than this server.
        case clientTooNew
        /// Anything else.
        case failed

        /// The status that goes with it (RFC 9110, RFC 6585, RFC 4918 for 507).
        package var status: Int {
            switch self {
            case .invalidRequest: 400
            case .unauthorized, .secondFactor: 401
            case .forbidden: 403
            case .notFound, .noCloud: 404
            case .damaged, .foreign, .renamed: 409
            case .tooLarge: 413
            case .clientTooOld, .clientTooNew: 426
            case .busy: 429
            case .failed: 500
            case .quota, .serverFull: 507
            }
        }
    }

    package let code: Code
    /// What happened, to what, and what to do; without names of documents.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code.rawValue): \(message)" }

    private enum CodingKeys: String, CodingKey { case code, message }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // A code that a newer server added says no more to us than that it failed.
        code = Code(rawValue: try values.decode(String.self, forKey: .code)) ?? .failed
        message = try values.decode(String.self, forKey: .message)
    }
}
