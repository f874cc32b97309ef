import DaemonProtocol
import NIOCore
import Synchronization

/// What of a client's messages reaches the tasks of its session.
enum ClientMessage: Sendable {
    case frame(ByteBuffer)
    /// Entered in the session's state already.
    case admitted(id: UInt64, DaemonRequest)
    /// The same, and begun.
    case begun(id: UInt64, DaemonRequest, PromptResponse.Rest)
}

/// Answers, on the event loop, what need not wait for anything: no task is woken for it. Everything else goes on to the session in the order in
/// which it came. Before the client's hello nothing is answered here, and nothing while the client does not read its answers.
final class PromptLane: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ClientMessage
    typealias OutboundOut = ByteBuffer

    private let session: ClientSession
    private var hasWritten = false

    init(_ session: ClientSession) { self.session = session }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch context.channel.isWritable ? session.respondAtOnce(frame) : session.leave(frame) {
        case .done(let answer?):
            context.write(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
            hasWritten = true
        case .done(nil): break
        case .pass(let message): context.fireChannelRead(wrapInboundOut(message))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasWritten { context.flush() }
        hasWritten = false
        context.fireChannelReadComplete()
    }
}

extension ClientSession {
    enum Prompt {
        /// With the frame that is to be sent, if there is one.
        case done([UInt8]?)
        case pass(ClientMessage)
    }

    /// To the session's task, with all that follows until it was read.
    func leave(_ frame: ByteBuffer) -> Prompt {
        unread.add(1, ordering: .sequentiallyConsistent)
        return .pass(.frame(frame))
    }

    func respondAtOnce(_ frame: ByteBuffer) -> Prompt {
        guard unread.load(ordering: .sequentiallyConsistent) == 0,
            let envelope = frame.withUnsafeReadableBytes(ClientEnvelope.init(canonical:)),
            // Without a hello, or with a number that is taken, the session says what is wrong.
            case .perform(let id, let request)? = state.withLock({ $0.program == nil ? nil : $0.received(envelope) })
        else { return leave(frame) }
        switch handler.respondAtOnce(request, from: client(id)) {
        case .now(let response):
            state.withLock { $0.finished(id) }
            guard request.call.wantsResponse else { return .done(nil) }
            // Too long to send: the session says so.
            guard let answer = try? ControlFrame.frame(DaemonEnvelope(id: id, .response(response))) else {
                return .pass(.begun(id: id, request) { response })
            }
            return .done(answer)
        case .later(let rest): return .pass(.begun(id: id, request, rest))
        case nil: return .pass(.admitted(id: id, request))
        }
    }
}
