import NIOCore
import NIOHTTPTypes

/// A channel handler behind the decoder of every connection, which closes the connection when ``ConnectionRules`` or ``Connections`` say
/// so.
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
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let ticket { connections.isActive(ticket) }
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(let bytes):
            if rules.readBody(bytes.readableBytes) == .stopReading {
                mustEndOutput = true
                endOutputOnceTaken(context)
            }
        case .end: rules.readEnd()
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard rules.mayRead else { return }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (now, bytes) = (connections.now, size(of: unwrapOutboundIn(data)))
        rules.writes(now: now)
        if case .end = unwrapOutboundIn(data) { rules.writesEnd(now: now) }
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            rules.wrote(bytes)
            guard case .success = result else { return }
            if let ticket { connections.isActive(ticket) }
            endOutputOnceTaken(context)
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
