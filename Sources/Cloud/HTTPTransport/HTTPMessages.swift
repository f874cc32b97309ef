import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// A request with a body of fixed length.
package struct HTTPRequest: Sendable {
    package let method: String
    package let url: String
    package private(set) var headers: [(name: String, value: String)] = []
    package let body: [UInt8]?

    package init(_ method: String, _ url: String, body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.body = body
    }

    package mutating func add(_ name: String, _ value: String) { headers.append((name, value)) }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Leaves out headers, which hold tokens and signatures.
    package var description: String { "\(method) \(url)" }
    package var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

/// The head of a response, and its body as it arrives.
package struct HTTPResponse: Sendable {
    package let status: Int
    private let headers: HTTPHeaders
    package let body: HTTPBody

    init(_ response: HTTPClientResponse) {
        status = Int(response.status.code)
        headers = response.headers
        body = HTTPBody(response.body)
    }

    /// A response without a network, for tests.
    package init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = HTTPHeaders(headers)
        self.body = HTTPBody(.bytes(ByteBuffer(bytes: body)))
    }

    /// Returns the value of the first header of that name, ignoring case.
    package func header(_ name: String) -> String? { headers.first(name: name) }
}

/// The parts of a response's body, as they arrive.
package struct HTTPBody: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let base: HTTPClientResponse.Body

    init(_ base: HTTPClientResponse.Body) { self.base = base }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }

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
        fileprivate var base: HTTPClientResponse.Body.AsyncIterator

        package mutating func next() async throws -> [UInt8]? {
            try await base.next(isolation: #isolation).map { Array(buffer: $0) }
        }
    }
}

/// A body was longer than its reader accepts, in bytes.
package struct HTTPBodyTooLong: Error {
    package let limit: Int
}
