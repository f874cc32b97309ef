package import Basics
package import S3Client
import Synchronization

/// An in-memory object store for tests: a bucket handling requests in sequence, so conditional writes are atomic.
///
/// It verifies the signature of each request as it arrived, and misbehaves according to its script.
package final class S3Double: Sendable {
    /// A request and its outcome, as seen by the store.
    package struct Seen: Hashable, Sendable {
        package let method: String
        /// Empty for a request about the bucket.
        package let key: String
        package let status: Int
        /// Whether the signature was in the URL.
        package let isLink: Bool
    }

    struct State {
        var objects: [String: [UInt8]] = [:]
        var script: [(method: String?, fault: S3Fault)] = []
        var seen: [Seen] = []
        var clockOffset: Duration = .zero
        var credentials: S3Credentials
        var isExpired = false
        var pageSize = 1000
        var ignoresConditions = false
    }

    package let bucket: String
    package let region: String
    let state: Mutex<State>
    private let time: any TimeSource

    package init(
        bucket: String = "test-bucket", region: String = "eu-test-1", credentials: S3Credentials,
        time: any TimeSource = SystemTime()
    ) {
        self.bucket = bucket
        self.region = region
        self.time = time
        state = Mutex(State(credentials: credentials))
    }

    // MARK: Control and inspection by tests

    /// Lets the next request with this method, or with any method, end with `fault`; a method's faults are used in
    /// order.
    package func script(_ fault: S3Fault, for method: String? = nil, times: Int = 1) {
        state.withLock { $0.script += Array(repeating: (method, fault), count: times) }
    }

    package var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    package var seen: [Seen] { state.withLock { $0.seen } }
    package func set(_ key: String, _ bytes: [UInt8]?) { state.withLock { $0.objects[key] = bytes } }
    /// Shifts the store's clock.
    package func shiftClock(by offset: Duration) { state.withLock { $0.clockOffset = offset } }
    /// Accepts only these credentials from now on.
    package func accept(_ credentials: S3Credentials) { state.withLock { $0.credentials = credentials } }
    package func expireCredentials() { state.withLock { $0.isExpired = true } }
    /// Lets a creation replace an existing object, as stores without conditional writes do.
    package func ignoreConditions() { state.withLock { $0.ignoresConditions = true } }
    /// Sets how many objects a page of a listing has at most.
    package func limitPages(to size: Int) { state.withLock { $0.pageSize = size } }

    // MARK: Requests

    /// Carries a request out.
    func answer(_ request: S3DoubleRequest) -> S3DoubleAnswer {
        let now = time.now()
        return state.withLock { state in
            let fault = state.script.firstIndex { $0.method == nil || $0.method == request.method }
                .map { state.script.remove(at: $0).fault }
            let answer = answer(request, fault, &state, at: now.adding(state.clockOffset))
            let key = key(of: request) ?? ""
            let isLink = request.query.contains { $0.name == "X-Amz-Signature" }
            state.seen.append(Seen(method: request.method, key: key, status: answer.status, isLink: isLink))
            return answer
        }
    }

    private func answer(
        _ request: S3DoubleRequest, _ fault: S3Fault?, _ state: inout State, at now: Timestamp
    ) -> S3DoubleAnswer {
        switch fault {
        case .refusal(let status, let code, let wait): return .error(status, code, wait: wait)
        case .page(let status, let text): return S3DoubleAnswer(status, body: Array(text.utf8))
        case .lostRequest: return S3DoubleAnswer(0, delivery: .closed)
        case .lostReply, .silence, .cut, .slow, nil: break
        }
        var answer = refusal(of: request, state, at: now) ?? carryOut(request, &state)
        if answer.status >= 400 { answer.headers.append(("Date", S3DoubleTime.header(now))) }
        switch fault {
        case .lostReply: answer.delivery = .closed
        case .silence: answer.delivery = .never
        case .cut(let count): answer.delivery = .cut(count)
        case .slow(let piece, let pause): answer.delivery = .slow(piece, pause)
        case .refusal, .page, .lostRequest, nil: break
        }
        return answer
    }

    /// Returns the key in the bucket; nil if the request is for a different bucket.
    func key(of request: S3DoubleRequest) -> String? {
        let root = "/\(bucket)"
        guard request.path == root || request.path.hasPrefix("\(root)/") else { return nil }
        return String(request.path.dropFirst(root.count + 1))
    }
}

/// A store failure.
package enum S3Fault: Sendable {
    /// Refuses the request, and does nothing.
    case refusal(status: Int, code: String, wait: Int? = nil)
    /// Responds with foreign text, like a proxy.
    case page(status: Int, text: String)
    /// Closes the connection, and does nothing.
    case lostRequest
    /// Carries out the request, and closes the connection instead of replying.
    case lostReply
    /// Carries out the request, and sends no reply.
    case silence
    /// Ends the reply's body after that many bytes.
    case cut(after: Int)
    /// Sends the reply in pieces of that many bytes, with pauses between them.
    case slow(piece: Int, pause: Duration)
}
