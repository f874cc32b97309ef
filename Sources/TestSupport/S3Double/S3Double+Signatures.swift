import Basics
import S3Client

/// A store's checks before it carries out a request.
extension S3Double {
    /// - Returns: The refusal; nil if the request is signed correctly.
    func refusal(of request: S3DoubleRequest, _ state: State, at now: Timestamp) -> S3DoubleAnswer? {
        if request.query.contains(where: { $0.name == "X-Amz-Signature" }) {
            return refusal(ofLink: request, state, at: now)
        }
        let form =
            /AWS4-HMAC-SHA256 Credential=([^\/]+)\/\d{8}\/([^\/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=[0-9a-f]{64}/
        guard let authorization = request.header("Authorization"), let match = authorization.wholeMatch(of: form),
            let time = request.header("x-amz-date").flatMap(S3DoubleTime.compact)
        else { return .error(403, "AccessDenied") }
        guard match.1 == state.credentials.accessKey else { return .error(403, "InvalidAccessKeyId") }
        if state.isExpired { return .error(400, "ExpiredToken") }
        guard match.2 == region else { return .error(400, "AuthorizationHeaderMalformed", [("Region", region)]) }
        let skew = now.duration(since: time)
        guard skew < .seconds(900), skew > .seconds(-900) else {
            return .error(403, "RequestTimeTooSkewed", [("ServerTime", S3DoubleTime.text(now))])
        }
        let digest = SigV4.digest(of: request.body)
        guard request.header("x-amz-content-sha256") == digest else {
            return .error(400, "XAmzContentSHA256Mismatch")
        }
        let signed = Set(match.3.split(separator: ";").map(String.init))
        let isComplete = request.headers.allSatisfy { name, _ in
            let name = name.lowercased()
            return signed.contains(name) || (name != "host" && !name.hasPrefix("x-amz-"))
        }
        let input = SigV4.Input(
            request.method, request.path, query: request.query,
            headers: request.headers.filter { signed.contains($0.name.lowercased()) }, bodyDigest: digest)
        let expected = SigV4(region: region).authorization(of: input, with: state.credentials, at: time)
        return isComplete && expected == authorization ? nil : .error(403, "SignatureDoesNotMatch")
    }
}

extension S3Double {
    /// - Returns: The refusal of a request with its signature in the URL; nil if the link is valid.
    private func refusal(ofLink request: S3DoubleRequest, _ state: State, at now: Timestamp) -> S3DoubleAnswer? {
        let values = Dictionary(request.query.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let time = values["X-Amz-Date"].flatMap(S3DoubleTime.compact),
            let seconds = values["X-Amz-Expires"].flatMap({ Int64($0) }), let host = request.header("Host")
        else { return .error(400, "AuthorizationQueryParametersError") }
        let age = now.duration(since: time)
        guard age > .seconds(-900), age <= .seconds(seconds) else { return .error(403, "AccessDenied") }
        let expected = SigV4(region: region).linkQuery(
            host: host, path: request.path, with: state.credentials, at: time, seconds: seconds)
        let isSigned = request.method == "GET" && SigV4.encode(query: expected) == SigV4.encode(query: request.query)
        return isSigned ? nil : .error(403, "SignatureDoesNotMatch")
    }
}

/// The forms of time in requests and replies.
enum S3DoubleTime {
    /// Parses a time such as `20130524T000000Z`.
    static func compact(_ text: String) -> Timestamp? {
        guard let match = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/) else { return nil }
        let fields = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int64($0) }
        guard fields.count == 6, let date = CivilDate(year: fields[0], month: fields[1], day: fields[2]) else {
            return nil
        }
        return Timestamp(seconds: date.daysSince1970 * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5])
    }

    /// Formats a time as `2013-05-24T00:00:00Z`.
    static func text(_ time: Timestamp) -> String {
        let text = SigV4.date(time)
        func part(_ range: Range<Int>) -> Substring { text.dropFirst(range.lowerBound).prefix(range.count) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    }

    /// Formats a time as `Fri, 24 May 2013 00:00:00 GMT`; the day is always Friday, which no client reads.
    static func header(_ time: Timestamp) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = text(time)
        let month = text.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? 1
        return
            "Fri, \(text.dropFirst(8).prefix(2)) \(months[month - 1]) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
