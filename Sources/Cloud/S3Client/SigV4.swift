package import Basics
import Cryptography

/// Signs requests with version 4 ("AWS Signature Version 4", Amazon S3 API Reference). Pure.
///
/// Paths are encoded once and not normalised: S3's rule, unlike Amazon's other services.
package struct SigV4: Sendable {
    /// The parts of a request covered by a signature.
    package struct Input: Sendable {
        package var method: String
        /// The unencoded path; begins with `/`.
        package var path: String
        /// Unencoded names and values.
        package var query: [(name: String, value: String)] = []
        /// Headers, all of them signed. They have to include `host` and `x-amz-date`.
        package var headers: [(name: String, value: String)]
        /// The SHA-256 of the body in hexadecimal digits.
        package var bodyDigest: String

        package init(
            _ method: String, _ path: String, query: [(name: String, value: String)] = [],
            headers: [(name: String, value: String)], bodyDigest: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.bodyDigest = bodyDigest
        }
    }

    package let region: String
    package let service: String

    package init(region: String, service: String = "s3") {
        self.region = region
        self.service = service
    }

    /// Returns the value of the `Authorization` header.
    package func authorization(of input: Input, with credentials: S3Credentials, at time: Timestamp) -> String {
        let names = Self.normalised(input.headers).map(\.name).joined(separator: ";")
        return """
            AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope(at: time)), SignedHeaders=\(names), \
            Signature=\(signature(of: input, with: credentials, at: time))
            """
    }

    /// Returns the query of a GET with the signature in its URL, for an object readable by everyone with the URL.
    ///
    /// - Parameter seconds: How long the URL is valid.
    package func linkQuery(
        host: String, path: String, with credentials: S3Credentials, at time: Timestamp, seconds: Int64
    ) -> [(name: String, value: String)] {
        var query = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", "\(credentials.accessKey)/\(scope(at: time))"),
            ("X-Amz-Date", Self.date(time)), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { query.append(("X-Amz-Security-Token", token)) }
        let input = Input("GET", path, query: query, headers: [("host", host)], bodyDigest: "UNSIGNED-PAYLOAD")
        return query + [("X-Amz-Signature", signature(of: input, with: credentials, at: time))]
    }

    private func scope(at time: Timestamp) -> String {
        "\(Self.date(time).prefix(8))/\(region)/\(service)/aws4_request"
    }

    private func signature(of input: Input, with credentials: S3Credentials, at time: Timestamp) -> String {
        let headers = Self.normalised(input.headers)
        let names = headers.map(\.name).joined(separator: ";")
        let date = SigV4.date(time)
        let canonical = [
            input.method, Self.encode(path: input.path), Self.encode(query: input.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), names, input.bodyDigest,
        ].joined(separator: "\n")
        let text = ["AWS4-HMAC-SHA256", date, scope(at: time), Self.digest(of: canonical.utf8)].joined(separator: "\n")
        return Hex.encode(Self.code(text, key: key(of: credentials, day: String(date.prefix(8)))))
    }

    /// Returns the headers of a request to S3: those of `input`, the date, the digest of the body, the session token, and the signature.
    package func sign(
        _ input: Input, with credentials: S3Credentials, at time: Timestamp
    ) -> [(name: String, value: String)] {
        var input = input
        input.headers.append(("x-amz-content-sha256", input.bodyDigest))
        input.headers.append(("x-amz-date", Self.date(time)))
        if let token = credentials.sessionToken { input.headers.append(("x-amz-security-token", token)) }
        return input.headers + [("Authorization", authorization(of: input, with: credentials, at: time))]
    }

    private func key(of credentials: S3Credentials, day: String) -> [UInt8] {
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [day, region, service, "aws4_request"] { key = Self.code(part, key: key) }
        return key
    }

    private static func code(_ text: String, key: [UInt8]) -> [UInt8] {
        HMAC.sha256(Array(text.utf8), key: key)
    }
}

extension SigV4 {
    /// Returns the SHA-256 of bytes in hexadecimal digits.
    package static func digest(of bytes: some Sequence<UInt8>) -> String { Hex.encode(SHA256.hash(Array(bytes))) }

    /// Returns a time as `20130524T000000Z`. Years before 0 and after 9999 are clamped to those.
    package static func date(_ time: Timestamp) -> String {
        let seconds = time.split.seconds
        let (day, second) = (
            seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400, ((seconds % 86_400) + 86_400) % 86_400
        )
        let date = CivilDate(daysSince1970: day)
        let year = min(max(date.year, 0), 9999)
        return padded(year, 4) + padded(date.month, 2) + padded(date.day, 2) + "T" + padded(second / 3600, 2)
            + padded(second / 60 % 60, 2) + padded(second % 60, 2) + "Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Returns a path in its signed and sent form.
    package static func encode(path: String) -> String {
        PercentCoding.encode(path.utf8) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// Returns a query in its signed and sent form: sorted by name and value, each with `=`.
    package static func encode(query: [(name: String, value: String)]) -> String {
        query.map {
            (
                PercentCoding.encode($0.name.utf8, isPlain: isUnreserved),
                PercentCoding.encode($0.value.utf8, isPlain: isUnreserved)
            )
        }
        .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Whether a byte is unreserved (RFC 3986, 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Returns headers with names in lower case and sorted, values trimmed and with single spaces, and values with the
    /// same name joined in their order.
    private static func normalised(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for (name, value) in headers {
            let words = value.split { $0 == " " || $0 == "\t" }
            values[name.lowercased(), default: []].append(words.joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }
}
