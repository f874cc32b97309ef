import CCurl
import Glibc
import Synchronization

/// A request and its response.
///
/// @unchecked: the properties without a lock are constant or belong to the thread of the loop.
final class Transfer: @unchecked Sendable {
    private struct State {
        var caller: CheckedContinuation<HTTPResponse, any Error>?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        /// The bytes not taken yet.
        var buffer: [UInt8] = []
        var isPaused = false
        /// The outcome, once the transfer has ended.
        var end: Result<Void, any Error>?
    }

    /// The waits ended by the end of a transfer.
    private struct Ended {
        let caller: CheckedContinuation<HTTPResponse, any Error>?
        let reader: CheckedContinuation<[UInt8]?, any Error>?
    }

    /// The longest silence of a server.
    static let patience = Duration.seconds(60)
    /// The number of untaken bytes of a body at which receiving pauses.
    private static let highWater = 512 << 10

    private let request: HTTPRequest
    private let trust: ServerTrust
    private let limit: Duration
    /// Its thread runs as long as any of its transfers is referenced.
    private let loop: TransferLoop
    private let state = Mutex(State())

    // The thread's own.
    private(set) var handle: UnsafeMutableRawPointer?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var head = ResponseHead()
    private var isHeadComplete = false
    private var isHeadTooLong = false
    private var hasBegun = false
    private var sent = 0
    private var progress: (received: curl_off_t, sent: curl_off_t) = (0, 0)
    private var beganAt = SuspendingClock.now
    /// The last time bytes were transferred; nil until there is a connection.
    private var activeAt: SuspendingClock.Instant?

    init(_ request: HTTPRequest, _ trust: ServerTrust, within limit: Duration, on loop: TransferLoop) {
        self.request = request
        self.trust = trust
        self.limit = limit
        self.loop = loop
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    // MARK: The caller

    func begin(_ caller: CheckedContinuation<HTTPResponse, any Error>) {
        let early = state.withLock { state -> (any Error)? in
            if case .failure(let error) = state.end { return error }
            state.caller = caller
            return nil
        }
        if let early { return caller.resume(throwing: early) }
        loop.send(.start(self))
    }

    /// Ends the transfer at its current state, unless it has ended.
    func cancel() {
        if end(with: CancellationError()) { loop.send(.end(self)) }
    }

    /// Returns the bytes received so far, as soon as there are any; nil after the last.
    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { read($0) }
        } onCancel: {
            cancel()
        }
    }

    private func read(_ reader: CheckedContinuation<[UInt8]?, any Error>) {
        let (outcome, resumes) = state.withLock { state -> (Result<[UInt8]?, any Error>?, Bool) in
            if !state.buffer.isEmpty {
                let bytes = state.buffer
                state.buffer = []
                defer { state.isPaused = false }
                return (.success(bytes), state.isPaused)
            }
            if let end = state.end { return (end.map { nil }, false) }
            state.reader = reader
            return (nil, false)
        }
        if resumes { loop.send(.resume(self)) }
        if let outcome { reader.resume(with: outcome) }
    }

    // MARK: The thread

    /// Whether the caller still waits.
    var isWanted: Bool { state.withLock { $0.end == nil } }

    /// Ends the transfer with an error, or with nil if the response is complete.
    ///
    /// - Returns: false if it has ended before.
    @discardableResult
    func end(with error: (any Error)?) -> Bool {
        let ended = state.withLock { state -> Ended? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            defer { (state.caller, state.reader) = (nil, nil) }
            return Ended(caller: state.caller, reader: state.reader)
        }
        guard let ended else { return false }
        ended.caller?.resume(throwing: error ?? HTTPFailure(reason: .closed, text: "the response has no head"))
        if let error { ended.reader?.resume(throwing: error) } else { ended.reader?.resume(returning: nil) }
        return true
    }

    /// Notes the end of a pause.
    func noteResumed() { activeAt = SuspendingClock.now }

    /// The time until this transfer has waited too long; nil while it waits for nothing.
    func timeLeft(at now: SuspendingClock.Instant) -> Duration? {
        let untilLate = isHeadComplete ? nil : limit - (now - beganAt)
        let isPaused = state.withLock { $0.isPaused }
        let untilSilent = isPaused ? nil : activeAt.map { Self.patience - (now - $0) }
        guard let untilLate, let untilSilent else { return untilLate ?? untilSilent }
        return min(untilLate, untilSilent)
    }

    /// The error for exceeding a time limit.
    var lateness: HTTPFailure {
        let isLate = !isHeadComplete && SuspendingClock.now - beganAt >= limit
        return HTTPFailure(
            reason: isLate ? .late : .silent,
            text: activeAt == nil ? "no connection in time" : "it accepted the connection and sent nothing")
    }

    /// Returns the error of a result; nil if the response is complete.
    func failure(_ result: CURLcode) -> HTTPFailure? {
        guard result != CURLE_OK, let handle else { return nil }
        if isHeadTooLong { return HTTPFailure(reason: .closed, text: "the head of the response is too long") }
        let text = String(cString: message.pointee == 0 ? curl_easy_strerror(result) : UnsafePointer(message))
        return HTTPFailure(
            reason: .library(result.rawValue),
            system: Int32(truncatingIfNeeded: ccurl_get_long(handle, CURLINFO_OS_ERRNO)),
            isHandshake: ccurl_get_size(handle, CURLINFO_CONNECT_TIME_T) > 0
                && ccurl_get_size(handle, CURLINFO_APPCONNECT_TIME_T) == 0,
            text: text)
    }

    func freeHandle() {
        if let handle { curl_easy_cleanup(handle) }
        if let headers { curl_slist_free_all(headers) }
        (handle, headers) = (nil, nil)
    }

    deinit {
        freeHandle()
        message.deallocate()
    }
}

// MARK: libcurl

extension Transfer {
    /// Creates libcurl's handle; nil without memory.
    func makeHandle() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        handle = easy
        beganAt = SuspendingClock.now
        configure(easy)
        setRequest(easy)
        setCallbacks(easy)
        return easy
    }

    private func configure(_ easy: UnsafeMutableRawPointer) {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT, 10),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_MAXAGE_CONN, 60), (CURLOPT_BUFFERSIZE, 128 << 10), (CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10),
        ]
        for (option, value) in numbers { _ = ccurl_set_long(easy, option, value) }
        _ = ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        // Otherwise the end of a transfer waits for a name server, and all transfers with it.
        _ = ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        // No proxy: libcurl would take a proxy from the environment.
        _ = ccurl_set_text(easy, CURLOPT_PROXY, "")
        _ = ccurl_close_on_exec(easy)
        trust.apply(to: easy)
    }

    private func setRequest(_ easy: UnsafeMutableRawPointer) {
        _ = ccurl_set_text(easy, CURLOPT_URL, request.url)
        _ = ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        if request.method == "HEAD" {
            _ = ccurl_set_long(easy, CURLOPT_NOBODY, 1)
        } else if request.body != nil || ["POST", "PUT", "PATCH"].contains(request.method) {
            _ = ccurl_set_long(easy, CURLOPT_UPLOAD, 1)
            _ = ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.body?.count ?? 0))
        }
        let names = Set(request.headers.map { $0.name.lowercased() })
        // A name without a value suppresses libcurl's default header.
        for name in ["Accept", "Expect"] where !names.contains(name.lowercased()) {
            headers = curl_slist_append(headers, "\(name):")
        }
        for (name, value) in request.headers {
            headers = curl_slist_append(headers, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers)
    }

    private func setCallbacks(_ easy: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        _ = ccurl_set_long(easy, CURLOPT_NOPROGRESS, 0)
        for option in [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA, CURLOPT_PREREQDATA,
        ] { _ = ccurl_set_pointer(easy, option, context) }
        _ = ccurl_on_header(easy) { bytes, size, count, context in
            Transfer.of(context)?.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = ccurl_on_body(easy) { bytes, size, count, context in
            Transfer.of(context)?.receive(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = ccurl_on_upload(easy) { bytes, size, count, context in
            Transfer.of(context)?.send(to: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = ccurl_on_progress(easy) { context, _, received, _, sent in
            Transfer.of(context)?.note(received: received, sent: sent)
            return 0
        }
        _ = ccurl_on_connected(easy) { context, _, _, _, _ in
            (Transfer.of(context)?.mayBegin() ?? false) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func note(received: curl_off_t, sent: curl_off_t) {
        guard progress != (received, sent) else { return }
        progress = (received, sent)
        activeAt = SuspendingClock.now
    }

    /// - Returns: The number of bytes taken; any other number ends the transfer.
    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        activeAt = SuspendingClock.now
        // Headers after the body are ignored.
        guard !isHeadComplete, let handle else { return line.count }
        switch head.read(line, status: ccurl_get_long(handle, CURLINFO_RESPONSE_CODE)) {
        case .more: return line.count
        case .tooLong:
            isHeadTooLong = true
            return 0
        case .end:
            isHeadComplete = true
            // libcurl checks this at the end of the transfer.
            if !request.keepsConnection(after: head) { _ = ccurl_set_long(handle, CURLOPT_FORBID_REUSE, 1) }
            let caller = state.withLock { state in
                defer { state.caller = nil }
                return state.caller
            }
            caller?.resume(returning: HTTPResponse(head, ReceivedBody(self)))
            return line.count
        }
    }

    /// - Returns: The number of bytes taken, or libcurl's request to pause until some are taken.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        activeAt = SuspendingClock.now
        let (reader, taken) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Int) in
            guard state.end == nil else { return (nil, 0) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, bytes.count)
            }
            guard state.buffer.count < Self.highWater else {
                state.isPaused = true
                return (nil, ccurl_body_pause)
            }
            state.buffer.append(contentsOf: bytes)
            return (nil, bytes.count)
        }
        reader?.resume(returning: Array(bytes))
        return taken
    }

    private func send(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        let body = request.body ?? []
        let count = min(bytes.count, body.count - sent)
        body.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    /// Called once connected. libcurl would repeat a request whose connection was closed before a response; only the
    /// caller knows whether a possibly executed request may be repeated.
    private func mayBegin() -> Bool {
        activeAt = SuspendingClock.now
        defer { hasBegun = true }
        return !hasBegun
    }
}

/// The body of a response, for its reader. Without a reader the transfer ends.
final class ReceivedBody: Sendable {
    private let transfer: Transfer

    init(_ transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func next() async throws -> [UInt8]? { try await transfer.next() }
}
