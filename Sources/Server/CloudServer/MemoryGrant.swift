import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

/// A memory reservation, released with its last reference.
final class MemoryGrant: Sendable {
    private let budget: MemoryBudget
    private let ticket: UInt64

    /// Waits until `bytes` are free for this account: all of them, or the first part of a growing reservation.
    init(_ bytes: Int, of account: AccountID, growingTo most: Int? = nil, in budget: MemoryBudget) async throws {
        ticket = try await budget.take(bytes, of: account, growingTo: most)
        self.budget = budget
    }

    deinit { budget.release(ticket) }

    /// Waits for `bytes` more.
    func grow(by bytes: Int) async throws { try await budget.grow(ticket, by: bytes) }

    /// Declares that the reservation will no longer grow.
    func endGrowth() { budget.endGrowth(ticket) }

    /// Releases all but `bytes`.
    func shrink(to bytes: Int) { budget.shrink(ticket, to: bytes) }
}

extension Response {
    /// A body whose bytes keep their memory reserved until the peer has taken them. A peer taking nothing for a while
    /// is disconnected, or its responses would fill the memory.
    static func bytes(
        _ bytes: [UInt8], holding grant: MemoryGrant, _ context: ServerContext, status: HTTPResponse.Status = .ok,
        type: String = "application/octet-stream", headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        let (buffer, channel) = (ByteBuffer(bytes: bytes), context.channel)
        let body = ResponseBody(contentLength: buffer.readableBytes) { writer in
            try await send(buffer, WriteThrottle(channel), &writer)
            try await writer.finish(nil)
            withExtendedLifetime(grant) {}
        }
        return Response(status: status, headers: headers, body: body)
    }
}

@concurrent
private func send(_ buffer: ByteBuffer, _ throttle: WriteThrottle, _ writer: inout any ResponseBodyWriter) async throws
{
    var rest = buffer
    while let piece = rest.readSlice(length: min(WriteThrottle.pieceLength, rest.readableBytes)),
        piece.readableBytes > 0
    {
        try await writer.write(piece)
        try await throttle.wrote()
    }
}
