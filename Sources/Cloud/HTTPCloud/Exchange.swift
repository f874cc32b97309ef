/// One request as it is sent, as often as it takes.
struct Exchange: Sendable {
    enum Method: String { case get = "GET", put = "PUT", post = "POST", delete = "DELETE" }

    let method: Method
    /// Below the server's address, with its query.
    let path: String
    var body: [UInt8]?
    var headers: [(name: String, value: String)] = []
    /// The longest body of a success, in bytes.
    var answerLimit = 1 << 20
    /// Asked before it is known which cloud is there.
    var isForAnyCloud = false
    /// An answer that broke off is fetched on from there.
    var isResumable = false
    /// Signing in has no token yet.
    var needsToken = true

    init(_ method: Method, _ path: String, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }
}
