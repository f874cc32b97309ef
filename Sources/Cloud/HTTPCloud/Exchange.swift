/// A request, sent once or, with retries, several times.
struct Exchange: Sendable {
    enum Method: String { case get = "GET", put = "PUT", post = "POST", delete = "DELETE" }

    let method: Method
    /// The path below the server's address, with its query.
    let path: String
    var body: [UInt8]?
    var headers: [(name: String, value: String)] = []
    /// The longest body of a successful response, in bytes.
    var answerLimit = 1 << 20
    /// Whether the request is sent before the cloud there is known.
    var isForAnyCloud = false
    /// Whether an interrupted response is resumed.
    var isResumable = false
    /// Whether a link to the bytes is accepted in place of the response.
    var isDirect = false
    /// Whether the bytes behind a link match the request.
    var accepts: @Sendable ([UInt8]) -> Bool = { _ in true }
    /// False for signing in, before there is a token.
    var needsToken = true

    init(_ method: Method, _ path: String, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }
}
