import Chunking
import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

extension ContentSource {
    /// The answer to a GET or HEAD for the content: whole or in part, by the request's conditions.
    func answer(
        _ request: Request, _ context: ServerContext, name: ItemName, isInline: Bool, headers extra: HTTPFields
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
        let manifest = try await manifest(covering: range)
        let status: HTTPResponse.Status = verdict == .whole ? .ok : .partialContent
        guard request.method != .head else { return Response(status: status, headers: headers) }
        return Response(status: status, headers: headers, body: body(range, manifest, context))
    }

    private func body(_ range: Range<UInt64>, _ manifest: Manifest, _ context: ServerContext) -> ResponseBody {
        let channel = context.channel
        return ResponseBody(contentLength: range.count) { writer in
            let watch = StallWatch(channel)
            defer { watch.end() }
            try await send(range, of: manifest, watch, &writer)
            try await writer.finish(nil)
        }
    }

    /// One chunk in memory at a time, in pieces that are not larger than a socket takes at once.
    @concurrent
    private func send(
        _ range: Range<UInt64>, of manifest: Manifest, _ watch: StallWatch, _ writer: inout any ResponseBodyWriter
    ) async throws {
        for index in manifest.indices(covering: range) {
            let place = manifest.range(of: index)
            let part = range.clamped(to: place)
            let end = Int(part.upperBound - place.lowerBound)
            let plain = try await plain(manifest.chunks[index])
            defer { budget.release(plain.ticket) }
            for start in stride(from: Int(part.lowerBound - place.lowerBound), to: end, by: StallWatch.pieceLength) {
                try await writer.write(ByteBuffer(bytes: plain.bytes[start..<min(start + StallWatch.pieceLength, end)]))
                try await watch.wrote()
            }
        }
    }
}
