import Basics
import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

/// Reads bodies within bounds of size, time and memory.
struct BodyReader: Sendable {
    let budget: MemoryBudget
    /// For a whole body: 16 MiB at 1.2 Mbit/s.
    let patience: Duration

    init(budget: MemoryBudget, patience: Duration = .seconds(120)) {
        self.budget = budget
        self.patience = patience
    }

    /// Gives `use` the body, of at most `limit` bytes, and keeps its place in memory until that is done.
    func read<T: Sendable>(
        _ request: Request, upTo limit: Int, of account: AccountID, _ use: ([UInt8]) async throws -> T
    ) async throws -> T {
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        guard declared ?? 0 <= limit else {
            throw CloudFailure(.tooLarge, "The body is longer than the \(limit) bytes that this route takes.")
        }
        return try await budget.withBytes(declared ?? limit, of: account) {
            try await use(collect(request, upTo: limit))
        }
    }

    /// Who sends a byte now and then is let go like who sends nothing.
    func collect(_ request: Request, upTo limit: Int) async throws -> [UInt8] {
        let body = request.body
        return try await within(patience) { Array(buffer: try await body.collect(upTo: limit)) }
    }
}

/// Runs `body`, and cancels it after `duration`.
private func within<T: Sendable>(
    _ duration: Duration, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: duration)
            throw Refusals.slow
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

extension ServerContext {
    func container() throws -> ContainerName {
        guard let text = parameters.get("container"), let name = ContainerName(text) else {
            throw CloudFailure(.invalidRequest, "The path names no container.")
        }
        return name
    }

    func chunk() throws -> ChunkID {
        guard let text = parameters.get("chunk"), let bytes = bytes(ofHexadecimal: text), let id = ChunkID(bytes) else {
            throw CloudFailure(.invalidRequest, "The path names no chunk: 64 hexadecimal digits.")
        }
        return id
    }
}

extension Request {
    /// A number of the query; nil when it is not there.
    func number(_ name: Substring) throws -> UInt64? {
        guard let text = uri.queryParameters[name] else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(text) else {
            throw CloudFailure(.invalidRequest, "\(name) is no number.")
        }
        return number
    }
}

/// What a decoder of the protocol throws is the client's mistake.
func decoding<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as ByteCodingError {
        throw CloudFailure(.invalidRequest, "The body is not what belongs here: \(error).")
    }
}
