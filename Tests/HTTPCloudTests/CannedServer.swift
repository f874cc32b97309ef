import CloudProtocol
import NIOCore
import NIOPosix
import Synchronization

/// The heads of all received requests.
final class SeenRequests: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ request: String) { state.withLock { $0.append(request) } }
}

/// Runs `body` with a server that sends the next of `answers` to each connection, whatever the request, and then closes
/// the connection. A response ending with `…` is left unfinished instead.
func withCannedServer(
    _ answers: [String], _ body: (ServerAddress, SeenRequests) async throws -> Void
) async throws {
    let requests = SeenRequests()
    let turns = Turns()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = CannedHandler(answer: answers[min(turns.next(), answers.count - 1)], requests: requests)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    do {
        try await body(ServerAddress("http://127.0.0.1:\(channel.localAddress?.port ?? 0)"), requests)
        try await channel.close()
    } catch {
        try await channel.close()
        throw error
    }
}

private final class CannedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String
    private let requests: SeenRequests
    private var text = ""

    init(answer: String, requests: SeenRequests) {
        self.answer = answer
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isNew = !text.contains("\r\n\r\n")
        text += String(buffer: unwrapInboundIn(data))
        guard isNew, text.contains("\r\n\r\n") else { return }
        requests.add(text)
        let isUnfinished = answer.hasSuffix("…")
        let text = isUnfinished ? String(answer.dropLast()) : answer
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        if !isUnfinished { context.close(promise: nil) }
    }
}
