import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A channel handler behind the decoder of every connection. It passes on a single request at a time, and closes the
/// connection when ``ConnectionRules`` or ``Connections`` say so.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The approximate size of a response's head.
    private static let headBytes = 256
    private let connections: Connections
    private var rules: ConnectionRules
    private var ticket: UInt64?
    private var timer: Scheduled<Void>?
    private var mustEndOutput = false
    /// Parts read but not passed on yet: at most the result of a single socket read, because nothing is read meanwhile.
    private var waiting: CircularBuffer<HTTPRequestPart> = []
    private var wantsRead = false
    private var isInputClosed = false
    /// Whether the request under way is the last of the connection.
    private var isLast = false
    private var pause: Scheduled<Void>?

    init(_ connections: Connections, _ limits: ConnectionRules.Limits) {
        self.connections = connections
        rules = ConnectionRules(limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        guard let ticket = connections.open(channel) else {
            // Closed only after its set-up: setting up a closed connection is reported as an error of the server's own socket.
            return context.eventLoop.execute { channel.close(promise: nil) }
        }
        self.ticket = ticket
        channel.closeFuture.whenComplete { [connections] _ in connections.closed(ticket) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endTimers()
    }

    private func endTimers() {
        timer?.cancel()
        timer = nil
        pause?.cancel()
        pause = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        endTimers()
        waiting = []
        wantsRead = false
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let ticket { connections.isActive(ticket) }
        waiting.append(unwrapInboundIn(data))
        passOn(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent, !waiting.isEmpty else {
            return context.fireUserInboundEventTriggered(event)
        }
        // Earlier requests are handled first.
        isInputClosed = true
    }

    /// Passes on waiting parts, up to the head of a request that has to wait.
    private func passOn(_ context: ChannelHandlerContext) {
        while let part = waiting.first {
            if case .head(let head) = part {
                guard rules.mayBegin else { return }
                guard !isLast else { return waiting = [] }
                if let ticket, !connections.mayBegin(ticket) { return passOnLater(context) }
                rules.readHead()
                // The following bytes may be a body misread as a new request.
                isLast = !head.hasKnownFraming
            }
            waiting.removeFirst()
            pass(part, context)
        }
        if isInputClosed {
            isInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if wantsRead { read(context: context) }
    }

    /// Passes on parts from an earlier read, whose end was passed on then.
    private func passOnWhatWaited(_ context: ChannelHandlerContext) {
        let count = waiting.count
        passOn(context)
        if waiting.count < count { context.fireChannelReadComplete() }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: break
        case .body(let bytes):
            if rules.readBody(bytes.readableBytes) == .stopReading {
                mustEndOutput = true
                endOutputOnceTaken(context)
            }
        case .end: rules.readEnd()
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func passOnLater(_ context: ChannelHandlerContext) {
        guard pause == nil else { return }
        pause = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(RequestRate.interval)) { [self] in
            pause = nil
            passOnWhatWaited(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = !rules.mayRead || !waiting.isEmpty
        if !wantsRead { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (now, bytes) = (connections.now, size(of: unwrapOutboundIn(data)))
        rules.writes(now: now)
        var isEnd = false
        if case .end = unwrapOutboundIn(data) {
            isEnd = true
            rules.writesEnd(now: now)
        }
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            rules.wrote(bytes)
            guard case .success = result else { return }
            if let ticket { connections.isActive(ticket) }
            endOutputOnceTaken(context)
            guard isEnd else { return }
            rules.responseTaken()
            if isLast { return context.close(mode: .output, promise: nil) }
            // Other connections of this thread come first.
            context.eventLoop.assumeIsolated().execute { [self] in passOnWhatWaited(context) }
        }
        context.write(data, promise: promise)
        watch(context)
    }

    private func size(of part: HTTPResponsePart) -> Int {
        switch part {
        case .head, .end: Self.headBytes
        case .body(let bytes): bytes.readableBytes
        }
    }

    /// Ends the output after the rest of the response has been written.
    private func endOutputOnceTaken(_ context: ChannelHandlerContext) {
        guard mustEndOutput, !rules.hasPending else { return }
        mustEndOutput = false
        context.close(mode: .output, promise: nil)
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil, rules.isWatched, context.channel.isActive else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(rules.limits.interval)) { [self] in
            timer = nil
            guard rules.check(now: connections.now) == .close else { return watch(context) }
            context.close(promise: nil)
        }
    }
}

extension HTTPRequest {
    /// Whether the end of the request's body is certain: the decoder ignores a body in any coding but `chunked`.
    var hasKnownFraming: Bool {
        headerFields[values: .transferEncoding].allSatisfy { $0.lowercased() == "chunked" }
    }
}
