/// A request with a body of fixed length.
package struct HTTPRequest: Sendable {
    package let method: String
    package let url: String
    package private(set) var headers: [(name: String, value: String)] = []
    package let body: [UInt8]?
    /// The header in every response of the requested server. The connection of a response without it is closed: the
    /// response came from elsewhere, for example a network's sign-in page, and so would later responses on the same
    /// connection.
    package var mark: String?

    package init(_ method: String, _ url: String, body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.body = body
    }

    package mutating func add(_ name: String, _ value: String) { headers.append((name, value)) }

    /// Returns whether the connection of a response may be used again. Server errors and redirects may also come from
    /// proxies and sign-in pages.
    func keepsConnection(after head: ResponseHead) -> Bool {
        if let mark { return head.header(mark) != nil }
        return head.status < 300 || head.status == 304 || (400..<500).contains(head.status)
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Leaves out headers, because they hold tokens and signatures.
    package var description: String { "\(method) \(url)" }
    package var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

/// The head of a response, and its body as it arrives.
package struct HTTPResponse: Sendable {
    package let body: HTTPBody
    private let head: ResponseHead

    package var status: Int { head.status }

    init(_ head: ResponseHead, _ body: ReceivedBody) {
        self.head = head
        self.body = HTTPBody(.received(body))
    }

    /// A response without a network, for tests.
    package init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        head = ResponseHead(status: status, headers: headers)
        self.body = HTTPBody(.bytes(body))
    }

    /// Returns the value of the first header of that name, ignoring case.
    package func header(_ name: String) -> String? { head.header(name) }
}

/// The parts of a response's body, as they arrive. It can be read once; dropping the last reference to a body ends its
/// request.
package struct HTTPBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    enum Source: Sendable {
        case bytes([UInt8])
        case received(ReceivedBody)
    }

    private let source: Source

    init(_ source: Source) { self.source = source }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Collects all parts.
    ///
    /// - Throws: ``HTTPBodyTooLong`` as soon as there are more than `limit` bytes.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in self {
            guard part.count <= limit - bytes.count else { throw HTTPBodyTooLong(limit: limit) }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var source: Source

        package mutating func next() async throws -> [UInt8]? {
            switch source {
            case .received(let body): return try await body.next()
            case .bytes(let bytes):
                source = .bytes([])
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}

/// A body exceeded its reader's limit, in bytes.
package struct HTTPBodyTooLong: Error {
    package let limit: Int
}
