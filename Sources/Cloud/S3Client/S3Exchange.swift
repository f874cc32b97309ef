/// A request to a bucket, sent once or, with retries, several times.
struct S3Exchange: Sendable {
    enum Method: String { case get = "GET", head = "HEAD", put = "PUT", post = "POST", delete = "DELETE" }

    let method: Method
    /// Nil for a request about the bucket itself.
    let key: String?
    var query: [(name: String, value: String)] = []
    /// Headers, all of them signed.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The longest body of a successful response, in bytes.
    var replyLimit = 1 << 16
    /// Statuses accepted as replies, in addition to the successes.
    var expected: Set<Int> = []

    init(_ method: Method, _ key: String? = nil) {
        self.method = method
        self.key = key
    }

    /// The time limit of one attempt: half a minute, plus the transfer time at 16 KiB per second.
    var timeLimit: Duration { .seconds(30 + (min(body.count, 1 << 40) + min(replyLimit, 1 << 40)) / 16_384) }
}

/// A reply with a complete body.
struct S3Reply: Sendable {
    let status: Int
    let body: [UInt8]
    let headers: Headers

    /// The headers used by the client.
    struct Headers: Sendable {
        var etag: String?
        var length: String?
        var range: String?
    }
}
