import Basics
import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage
import Synchronization

/// Reads bodies within bounds of size, time and memory.
struct BodyReader: Sendable {
    let budget: MemoryBudget
    /// The time limit for a whole body: enough for 16 MiB at 1.2 Mbit/s.
    let patience: Duration
    /// How often a body's progress is checked against ``ArrivalRate``.
    let interval: Duration

    init(budget: MemoryBudget, patience: Duration = .seconds(120), interval: Duration = .seconds(1)) {
        self.budget = budget
        self.patience = patience
        self.interval = interval
    }

    /// How many bytes of memory are reserved at a time while a body arrives.
    private static let step = 1 << 20

    /// Passes the body, of at most `limit` bytes, to `use`, and keeps its memory reserved until `use` returns. Memory
    /// is reserved as bytes arrive: a merely announced body takes none beyond the first step.
    func read<T: Sendable>(
        _ request: Request, upTo limit: Int, of account: AccountID, _ use: ([UInt8]) async throws -> T
    ) async throws -> T {
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        guard declared ?? 0 <= limit else { throw Self.tooLong(limit) }
        let most = max(1, declared ?? limit)
        let grant = try await within(patience) { [budget] in
            try await MemoryGrant(min(most, Self.step), of: account, growingTo: most, in: budget)
        }
        defer { withExtendedLifetime(grant) {} }
        let bytes = try await collect(request, upTo: limit, capacity: declared) { booked in
            try await grant.grow(by: min(Self.step, max(1, most - booked)))
        }
        grant.endGrowth()
        return try await use(bytes)
    }

    /// Reads a body of at most `limit` bytes without reserving memory. A client trickling bytes is cut off like a
    /// silent client.
    func collect(_ request: Request, upTo limit: Int) async throws -> [UInt8] {
        try await collect(request, upTo: limit, capacity: nil, nil)
    }

    /// - Parameter book: Reserves memory for the next step, given the number of bytes reserved so far.
    private func collect(
        _ request: Request, upTo limit: Int, capacity: Int?, _ book: (@Sendable (Int) async throws -> Void)?
    ) async throws -> [UInt8] {
        let body = request.body
        let arrival = Arrival()
        return try await within(patience, checking: { try arrival.check() }, every: interval) {
            var bytes: [UInt8] = []
            var booked = min(Self.step, max(1, capacity ?? limit))
            for try await part in body {
                guard part.readableBytes <= limit - bytes.count else { throw Self.tooLong(limit) }
                while let book, bytes.count + part.readableBytes > booked {
                    // The time spent waiting for other requests does not count against this body.
                    arrival.isHeld(true)
                    try await book(booked)
                    arrival.isHeld(false)
                    booked += Self.step
                }
                bytes.append(contentsOf: part.readableBytesView)
                arrival.came(part.readableBytes)
            }
            return bytes
        }
    }

    private static func tooLong(_ limit: Int) -> CloudFailure {
        CloudFailure(.tooLarge, "The body is longer than this route's limit of \(limit) bytes.")
    }
}

/// The lowest rate at which a body may arrive: after a grace period, a minimum of bytes for each second since. Pure; times only grow.
struct ArrivalRate {
    static let grace = Duration.seconds(5)
    /// In bytes per second.
    static let slowest = 16 << 10

    private var bytes = 0
    private var start: Duration
    private var heldSince: Duration?

    init(start: Duration) { self.start = start }

    mutating func came(_ count: Int) { bytes += count }

    /// Pauses or resumes the clock while the server itself holds up the body.
    mutating func setHeld(_ isHeld: Bool, now: Duration) {
        if let since = heldSince { start += now - since }
        heldSince = isHeld ? now : nil
    }

    func isTooSlow(now: Duration) -> Bool {
        guard heldSince == nil, now - start > Self.grace else { return false }
        return Double(bytes) < (now - start - Self.grace) / .seconds(1) * Double(Self.slowest)
    }
}

/// The progress of a body, measured against ``ArrivalRate``.
private final class Arrival: Sendable {
    private let start = ContinuousClock.now
    private let rate = Mutex(ArrivalRate(start: .zero))

    func came(_ count: Int) { rate.withLock { $0.came(count) } }

    func isHeld(_ isHeld: Bool) {
        let now = ContinuousClock.now - start
        rate.withLock { $0.setHeld(isHeld, now: now) }
    }

    func check() throws {
        let now = ContinuousClock.now - start
        guard rate.withLock({ !$0.isTooSlow(now: now) }) else { throw Refusals.slow }
    }
}

/// Runs `body`, and cancels it after `duration` or as soon as `check`, called at every `interval`, throws.
private func within<T: Sendable>(
    _ duration: Duration, checking check: @escaping @Sendable () throws -> Void = {}, every interval: Duration? = nil,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask { try await body() }
        group.addTask {
            let end = ContinuousClock.now + duration
            while ContinuousClock.now < end {
                try await Task.sleep(for: min(interval ?? duration, duration))
                try check()
            }
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
            throw CloudFailure(.invalidRequest, "The path has no valid name of a container.")
        }
        return name
    }

    func chunk() throws -> ChunkID {
        guard let text = parameters.get("chunk"), let bytes = Hex.decode(text), let id = ChunkID(bytes) else {
            throw CloudFailure(.invalidRequest, "The path has no name of a chunk, which is 64 hexadecimal digits.")
        }
        return id
    }
}

extension Request {
    /// Returns the log position in a query parameter; the start without the parameter.
    func position(_ name: Substring) throws -> LogPosition {
        guard let text = uri.queryParameters[name] else { return .start }
        guard let position = LogPosition(wireText: text) else {
            throw CloudFailure(.invalidRequest, "\(name) is not a position in a log.")
        }
        return position
    }

    /// Returns the number in a query parameter; nil without the parameter.
    func number(_ name: Substring) throws -> UInt64? {
        guard let text = uri.queryParameters[name] else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(text) else {
            throw CloudFailure(.invalidRequest, "\(name) is not a number.")
        }
        return number
    }
}

/// Runs a protocol decoder and reports its errors as the client's mistake.
func decoding<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as ByteCodingError {
        throw CloudFailure(.invalidRequest, "The body cannot be parsed: \(error).")
    }
}
