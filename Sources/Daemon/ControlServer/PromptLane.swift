import DaemonProtocol
import NIOCore
import Synchronization

/// A client's message for the tasks of its session.
enum ClientMessage: Sendable {
    case frame(ByteBuffer)
    /// A request already registered in the session's state.
    case admitted(id: UInt64, DaemonRequest)
    /// A request registered and begun.
    case begun(id: UInt64, DaemonRequest, PromptResponse.Rest)
}

/// Responds on the event loop to binary requests that need not wait, so that no task is woken for them. All other
/// messages are passed on to the session in the order of their arrival. Nothing is handled here before the client's
/// hello, or while the client does not read its responses.
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
        /// The message is handled; the frame is the response, if there is one.
        case done([UInt8]?)
        case pass(ClientMessage)
    }

    /// Leaves a frame to the session's task, and with it all following frames until it was read.
    func leave(_ frame: ByteBuffer) -> Prompt {
        unread.add(1, ordering: .sequentiallyConsistent)
        return .pass(.frame(frame))
    }

    func respondAtOnce(_ frame: ByteBuffer) -> Prompt {
        let bytes = frame.readableBytesView
        guard unread.load(ordering: .sequentiallyConsistent) == 0, BinaryFrame.begins(with: bytes.first),
            // If the frame is malformed or unexpected, or its number is in use, the session reports the error.
            let envelope = try? ClientEnvelope(binary: Array(bytes)),
            case .perform(let id, let request)? = state.withLock({ $0.hasBinaryFrames ? $0.received(envelope) : nil })
        else { return leave(frame) }
        switch handler.respondAtOnce(request, from: client(id)) {
        case .now(let response):
            state.withLock { $0.finished(id) }
            guard request.call.wantsResponse else { return .done(nil) }
            // The response is too long to send: the session reports that.
            guard let answer = try? ControlFrame.frame(DaemonEnvelope(id: id, .response(response)), isBinary: true)
            else {
                return .pass(.begun(id: id, request) { response })
            }
            return .done(answer)
        case .later(let rest): return .pass(.begun(id: id, request, rest))
        case nil: return .pass(.admitted(id: id, request))
        }
    }
}
