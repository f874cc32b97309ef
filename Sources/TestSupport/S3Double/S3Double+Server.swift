import NIOCore
import NIOHTTP1
import NIOPosix
package import S3Client

extension S3Double {
    /// Serves requests on a loopback port while `body` runs; `body` receives the location of its bucket.
    package func serve<Value>(
        prefix: String = "", _ body: (S3Location) async throws -> Value
    ) async throws -> Value {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(S3DoubleHandler(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let endpoint = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
            let location = try S3Location(bucket: bucket, prefix: prefix, endpoint: endpoint, region: region)
            let value = try await body(location)
            try await channel.close()
            return value
        } catch {
            try await channel.close()
            throw error
        }
    }
}

private final class S3DoubleHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let double: S3Double
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ double: S3Double) { self.double = double }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let part): body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return }
            send(double.answer(S3DoubleRequest(head, body: body)), to: head, context)
        }
    }

    private func send(_ answer: S3DoubleAnswer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch answer.delivery {
        case .closed: context.close(promise: nil)
        case .never: break
        case .whole:
            sendHead(answer, context)
            if request.method != .HEAD { send(answer.body[...], context) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cut(let count):
            sendHead(answer, context)
            send(answer.body.prefix(count), context)
            context.flush()
            context.close(promise: nil)
        case .slow(let piece, let pause):
            sendHead(answer, context)
            trickle(answer.body[...], piece, TimeAmount(pause), context)
        }
    }

    private func sendHead(_ answer: S3DoubleAnswer, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
        if answer.status != 204, answer.status != 304 {
            headers.add(name: "Content-Length", value: String(answer.body.count))
        }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    private func trickle(
        _ rest: ArraySlice<UInt8>, _ piece: Int, _ pause: TimeAmount, _ context: ChannelHandlerContext
    ) {
        guard !rest.isEmpty, context.channel.isActive else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        send(rest.prefix(piece), context)
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: pause) {
            let (handler, context) = bound.value
            handler.trickle(rest.dropFirst(piece), piece, pause, context)
        }
    }
}
