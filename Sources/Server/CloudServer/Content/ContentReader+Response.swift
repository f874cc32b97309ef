import Chunking
import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

extension ContentReader {
    /// Returns the response to a GET or HEAD for the content: whole or in part, by the request's conditions. A HEAD reads nothing of the
    /// content. The slot is kept until the response has been sent.
    func answer(
        _ request: Request, _ context: ServerContext, name: ItemName, isInline: Bool, headers extra: HTTPFields,
        holding slot: ResponseSlots.Slot? = nil
    ) async throws -> Response {
        let tag = "\"\(content.digest)\""
        let type = MediaType.of(name)
        var headers = extra
        headers[.eTag] = tag
        headers[.acceptRanges] = "bytes"
        let verdict = ContentConditions(request.head).verdict(size: content.size, tag: tag)
        let range: Range<UInt64>
        switch verdict {
        case .unchanged: return Response(status: .notModified, headers: headers)
        case .failed: return Response(status: .preconditionFailed, headers: headers)
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(content.size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        case .whole: range = 0..<content.size
        case .part(let part):
            range = part
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.size)"
        }
        headers[.contentType] = type
        headers[.contentDisposition] = ContentDisposition.field(name, isInline: isInline && MediaType.isPassive(type))
        headers[.contentLength] = String(range.count)
        let status: HTTPResponse.Status = verdict == .whole ? .ok : .partialContent
        guard request.method != .head else { return Response(status: status, headers: headers) }
        // Missing chunks are reported before anything is sent, within the first part of the chunk list.
        let first = try await part(covering: range)
        return Response(status: status, headers: headers, body: body(range, first, holding: slot, context))
    }

    private func body(
        _ range: Range<UInt64>, _ first: Part, holding slot: ResponseSlots.Slot?, _ context: ServerContext
    ) -> ResponseBody {
        let channel = context.channel
        return ResponseBody(contentLength: range.count) { writer in
            let throttle = WriteThrottle(channel)
            try await send(range, first, throttle, &writer)
            try await writer.finish(nil)
            withExtendedLifetime(slot) {}
        }
    }

    /// Sends a chunk at a time, to have only one in memory, in pieces no larger than a socket takes at once.
    @concurrent
    private func send(
        _ range: Range<UInt64>, _ first: Part, _ throttle: WriteThrottle, _ writer: inout any ResponseBodyWriter
    ) async throws {
        var part = first
        var position = range.lowerBound
        // Files with holes repeat a chunk: it is read once.
        var last: (chunk: ChunkEntry, plain: Plain)?
        defer { if let last { budget.release(last.plain.ticket) } }
        while position < range.upperBound {
            if position > range.lowerBound { part = try await self.part(covering: position..<range.upperBound) }
            var offset = part.offset
            for chunk in part.chunks {
                let place = offset..<offset + UInt64(chunk.length)
                if let known = last, known.chunk != chunk {
                    budget.release(known.plain.ticket)
                    last = nil
                }
                if last == nil { last = (chunk, try await plain(chunk)) }
                guard let bytes = last?.plain.bytes else { continue }
                try await send(range.clamped(to: place), of: bytes, at: offset, throttle, &writer)
                offset = place.upperBound
            }
            // A chunk list ending early was not validated; stop, so that no byte is sent twice.
            guard offset > position else { throw Self.absent }
            position = offset
        }
    }

    @concurrent
    private func send(
        _ wanted: Range<UInt64>, of bytes: [UInt8], at offset: UInt64, _ throttle: WriteThrottle,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        let end = Int(wanted.upperBound - offset)
        for start in stride(from: Int(wanted.lowerBound - offset), to: end, by: WriteThrottle.pieceLength) {
            try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + WriteThrottle.pieceLength, end)]))
            try await throttle.wrote()
        }
    }
}
