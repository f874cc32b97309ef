package import Basics
package import HTTPTransport
package import Logging
import Synchronization

/// Sends a client's requests; tests pass their own implementation.
package protocol S3Transport: Sendable {
    /// Sends a request, and returns once the head of the response has arrived.
    func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse
}

extension HTTPConnections: S3Transport {}

/// A client for a bucket. Its requests are signed, bounded in bytes and time, and retried while that may help.
///
/// Every method throws only ``S3Error`` and `CancellationError`, and may be called again after either: requests are
/// idempotent.
package final class S3Client: Sendable {
    package let location: S3Location
    let target: S3Target
    let signer: SigV4
    private let findCredentials: @Sendable () throws(S3ConfigurationError) -> S3Credentials
    private let found = Mutex<S3Credentials?>(nil)
    private let transport: any S3Transport
    let time: any TimeSource
    private let clock: any Clock<Duration>
    private let pause: @Sendable (Duration) async throws -> Void
    private let log: Logger

    /// - Parameters:
    ///   - region: The region in the user's settings, for a location without a region. Non-Amazon stores may have none.
    ///   - clock: Measures the time limit of each request.
    ///   - pause: Waits between attempts.
    ///   - credentials: Called at first, and again when the store no longer accepts the credentials.
    /// - Throws: If Amazon's bucket has no region, or the region is invalid.
    package init(
        _ location: S3Location, region: String?, transport: any S3Transport, logger: Logger,
        time: any TimeSource = SystemTime(), clock: any Clock<Duration> = ContinuousClock(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        credentials: @escaping @Sendable () throws(S3ConfigurationError) -> S3Credentials
    ) throws(S3ConfigurationError) {
        guard let region = location.region ?? region ?? location.endpoint.map({ _ in "us-east-1" }) else {
            throw S3ConfigurationError(
                "The region of the bucket \(location.bucket) is not known. Add it: s3://\(location.bucket)?region=eu-central-1."
            )
        }
        try S3Location.check(region: region)
        self.location = location
        self.transport = transport
        self.time = time
        self.clock = clock
        self.pause = pause
        findCredentials = credentials
        target = location.target(in: region)
        signer = SigV4(region: region)
        log = logger
    }

    /// Sends a request until there is a reply or a retry does not help.
    ///
    /// - Parameter check: Reads the reply; its errors count as errors of that attempt.
    func perform<Value: Sendable>(
        _ exchange: S3Exchange, _ check: @Sendable (S3Reply) throws(S3Error) -> Value
    ) async throws -> Value {
        var retries = S3Retries()
        var isRenewed = false
        while true {
            do { return try check(try await attempt(exchange)) } catch let error as S3Error {
                if !isRenewed, try renewCredentials(after: error) {
                    isRenewed = true
                    continue
                }
                var random = SystemRandomNumberGenerator()
                guard let pause = retries.pause(after: error, using: &random) else { throw error }
                log.debug("retrying", metadata: ["why": "\(error)"])
                try await self.pause(pause)
            }
        }
    }

    // MARK: One attempt

    private func attempt(_ exchange: S3Exchange) async throws -> S3Reply {
        let now = time.now()
        let request = try request(exchange, at: now)
        let (transport, limit) = (transport, exchange.timeLimit)
        do {
            return try await limited(to: limit) {
                try await self.reply(to: exchange, transport.send(request, within: limit), sent: now)
            }
        } catch let error as S3Error { throw error } catch {
            // A cancelled caller receives `CancellationError`, regardless of the library's error.
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            let why = error is TimeLimit ? "no reply in time" : ConnectionProblem.description(of: error)
            throw S3Error(.unavailable, "Cannot use \(location): \(why).", cause: error)
        }
    }

    private func reply(to exchange: S3Exchange, _ response: HTTPResponse, sent: Timestamp) async throws -> S3Reply {
        let isSuccess = (200..<300).contains(response.status) || exchange.expected.contains(response.status)
        let limit = isSuccess ? exchange.replyLimit : 1 << 16
        let body: [UInt8]
        do { body = try await response.body.collect(upTo: limit) } catch is HTTPBodyTooLong {
            guard isSuccess else { throw refused(nil, response, exchange, sent: sent) }
            throw S3Error(.tooLong, "\(name(exchange)) exceeds the size limit.")
        }
        // A body cut short by a cancellation must not be used.
        try Task.checkCancellation()
        guard isSuccess else { throw refused(body, response, exchange, sent: sent) }
        let length = response.header("Content-Length")
        if exchange.method != .head, let length, Int(length) != body.count, response.status != 304 {
            throw S3Error(.unavailable, "The reply of \(location) was cut off.")
        }
        let headers = S3Reply.Headers(
            etag: response.header("ETag"), length: length, range: response.header("Content-Range"))
        return S3Reply(status: response.status, body: body, headers: headers)
    }

    private func request(_ exchange: S3Exchange, at now: Timestamp) throws(S3Error) -> HTTPRequest {
        let path = "\(target.path)/\(exchange.key ?? "")"
        let input = SigV4.Input(
            exchange.method.rawValue, path, query: exchange.query, headers: [("Host", target.host)] + exchange.headers,
            bodyDigest: SigV4.digest(of: exchange.body))
        let query = SigV4.encode(query: exchange.query)
        let url = "\(target.scheme)://\(target.host)\(SigV4.encode(path: path))\(query.isEmpty ? "" : "?\(query)")"
        let hasBody = exchange.method == .put || exchange.method == .post
        var request = HTTPRequest(exchange.method.rawValue, url, body: hasBody ? exchange.body : nil)
        for (name, value) in signer.sign(input, with: try credentials(), at: now) { request.add(name, value) }
        return request
    }

    private struct TimeLimit: Error {}

    private func limited<Value: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let clock = clock
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else { throw TimeLimit() }
            return value
        }
    }

    // MARK: Credentials

    func credentials() throws(S3Error) -> S3Credentials {
        if let known = found.withLock({ $0 }) { return known }
        do throws(S3ConfigurationError) {
            let credentials = try findCredentials()
            found.withLock { $0 = credentials }
            return credentials
        } catch { throw S3Error(.invalid, error.message, cause: error) }
    }

    /// - Returns: Whether the new credentials differ from the rejected pair.
    private func renewCredentials(after error: S3Error) throws(S3Error) -> Bool {
        guard error.code == .expiredCredentials || error.code == .wrongCredentials else { return false }
        let refused = found.withLock { known in
            defer { known = nil }
            return known
        }
        guard let refused else { return false }
        return try credentials() != refused
    }
}
