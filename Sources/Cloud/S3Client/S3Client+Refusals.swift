import Basics
import HTTPTransport

/// Explains errors to a person who has to act on them.
extension S3Client {
    func name(_ exchange: S3Exchange) -> String {
        guard let key = exchange.key else { return "\(location)" }
        return "\(S3Location.quoted(key)) in s3://\(location.bucket)"
    }

    /// Returns the error for an unsuccessful response.
    ///
    /// - Parameter body: Nil if it is too long for a store's error.
    func refused(_ body: [UInt8]?, _ response: HTTPResponse, _ exchange: S3Exchange, sent: Timestamp) -> S3Error {
        let found = body.flatMap { $0.isEmpty ? S3Refusal() : S3Refusal(parsing: $0) }
        // Error bodies of failing stores and of proxies in front of them are often HTML pages.
        let refusal = found ?? ([429, 500, 502, 503, 504].contains(response.status) ? S3Refusal() : nil)
        guard var refusal, let code = S3Error.Code(refusal, status: response.status),
            // Only an error from the store itself proves an object's absence.
            code != .noKey || !refusal.code.isEmpty || exchange.method == .head
        else {
            return S3Error(
                .unavailable,
                "\(location) is not an object store: another program, a proxy or a sign-in page responded (status \(response.status))."
            )
        }
        refusal.serverTime = refusal.serverTime ?? response.header("Date").flatMap(S3Time.parse)
        let region = response.header("x-amz-bucket-region").flatMap {
            (try? S3Location.check(region: $0)) == nil ? nil : $0
        }
        refusal.region = refusal.region ?? region
        let wait = response.header("Retry-After").flatMap { Int64($0) }.map {
            Duration.seconds(min(max($0, 0), 86_400))
        }
        let message = message(code, refusal, exchange, status: response.status, sent: sent)
        return S3Error(code, message, wait: wait)
    }

    private func message(
        _ code: S3Error.Code, _ refusal: S3Refusal, _ exchange: S3Exchange, status: Int, sent: Timestamp
    ) -> String {
        let detail = refusal.code.isEmpty ? "status \(status)" : refusal.code
        let reason = refusal.message.isEmpty ? detail : "\(detail): \(refusal.message)"
        return switch code {
        case .taken: "\(name(exchange)) already exists."
        case .noKey: "\(name(exchange)) does not exist."
        case .noBucket: "There is no bucket \(location.bucket). Create it, or correct its name, endpoint or region."
        case .denied:
            """
            These credentials may not \(exchange.method.rawValue) \(name(exchange)) (\(reason)). Allow it in the bucket's policy; \
            without the permission to list, missing objects are refused like this too.
            """
        case .wrongCredentials:
            "\(location) does not accept the credentials (\(detail)). Check the access key and its secret, and where they come from."
        case .expiredCredentials: "The credentials for \(location) have expired. Get new ones."
        case .wrongClock: clockMessage(refusal, sent: sent)
        case .wrongRegion:
            "The bucket \(location.bucket) is in another region\(refusal.region.map { ": use region=\($0)" } ?? "") (\(detail))."
        case .throttled: "\(location) asks for fewer requests (\(detail)). They will be retried later."
        case .conflict:
            "Another request for \(name(exchange)) was in progress (\(detail)). This one will be retried later."
        case .unsupported: "\(location) does not support a required operation (\(reason)). Use another store."
        case .full: "\(location) is full (\(reason)). Delete objects, or raise the quota."
        default: "\(location) refused \(exchange.method.rawValue) of \(name(exchange)) (\(reason))."
        }
    }

    private func clockMessage(_ refusal: S3Refusal, sent: Timestamp) -> String {
        let difference = refusal.serverTime.map { S3Time.difference(of: sent, from: $0) } ?? "more than 15 minutes off"
        return """
            This device's clock is wrong: it is \(difference) by the clock of \(location), which refuses signatures that are more than \
            15 minutes off. Set the clock: timedatectl set-ntp true.
            """
    }
}
