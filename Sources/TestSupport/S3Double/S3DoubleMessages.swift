import Basics
import NIOHTTP1
import S3Client

/// A request as it arrived.
struct S3DoubleRequest: Sendable {
    let method: String
    /// The decoded path.
    let path: String
    /// The decoded names and values.
    let query: [(name: String, value: String)]
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    init(_ head: HTTPRequestHead, body: [UInt8]) {
        method = head.method.rawValue
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.decoded(parts[0])
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { field in
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(pair[0]), pair.count > 1 ? Self.decoded(pair[1]) : "")
        }
        headers = head.headers.map { ($0.name, $0.value) }
        self.body = body
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentCoding.decode(text.utf8) ?? [], as: UTF8.self)
    }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The value of a field of the query.
    subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// A reply, and how it is sent.
struct S3DoubleAnswer: Sendable {
    enum Delivery: Sendable { case whole, closed, never, cut(Int), slow(Int, Duration) }

    let status: Int
    var headers: [(name: String, value: String)] = []
    let body: [UInt8]
    var delivery: Delivery

    init(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = [], delivery: Delivery = .whole) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delivery = delivery
    }

    static func error(_ status: Int, _ code: String, _ fields: [(String, String)] = [], wait: Int? = nil) -> Self {
        let fields = [("Code", code), ("Message", "A message about \(code).")] + fields
        let body = XMLElement("Error", fields.map { XMLElement($0.0, text: $0.1) }).encoded
        return S3DoubleAnswer(status, headers: wait.map { [("Retry-After", String($0))] } ?? [], body: Array(body.utf8))
    }
}
