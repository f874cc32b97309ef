import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import ServerStorage

/// Chunk routes: listing missing chunks, putting chunks singly or in batches, and reading them whole or in part.
struct ChunkRoutes: Sendable {
    let store: ServerStore
    let reader: BodyReader
    let board: TransferBoard
    /// Whether devices accepting direct downloads read frames from the bucket themselves.
    let isDirect: Bool

    func put(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let (name, id) = (try context.container(), try context.chunk())
        try await reader.read(request, upTo: CloudLimits.frame, of: account) { frame in
            try await store.chunks.put([ChunkBatch.Part(id: id, frame: frame)], in: name, of: account)
            note(frame.count, name, isUpload: true, context)
        }
        return .done
    }

    func putMany(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let name = try context.container()
        try await reader.read(request, upTo: CloudLimits.batchBody, of: account) { body in
            let parts = try decoding { try ChunkBatch(decoding: body).parts }
            guard parts.count <= CloudLimits.batchChunks else {
                throw CloudFailure(.tooLarge, "A request may have at most \(CloudLimits.batchChunks) chunks.")
            }
            try await store.chunks.put(parts, in: name, of: account)
            note(body.count, name, isUpload: true, context)
        }
        return .done
    }

    func missing(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let name = try context.container()
        let absent = try await names(request, of: account) { try await store.chunks.missing($0, in: name, of: account) }
        return .bytes(ChunkNames(absent).encoded())
    }

    func distrust(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let name = try context.container()
        try await names(request, of: account, atMost: CloudLimits.distrusted) {
            try await store.chunks.distrust($0, in: name, of: account)
        }
        return .done
    }

    func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let (name, id) = (try context.container(), try context.chunk())
        guard let place = try await store.chunks.place(of: id, in: name, of: account) else { throw Self.absent }
        let size = UInt64(place.size)
        var headers: HTTPFields = [.acceptRanges: "bytes", .cacheControl: "private, immutable"]
        var status = HTTPResponse.Status.ok
        var part = 0..<size
        if let range = request.headers[.range].flatMap({ ByteRange($0) }) {
            guard let resolved = range.resolved(in: size) else {
                return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(size)"])
            }
            part = resolved
            status = .partialContent
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
        }
        let wanted = Int(part.lowerBound)..<Int(part.upperBound)
        if let link = try await link(to: place, wanted, request) {
            note(wanted.count, name, isUpload: false, context)
            return Response(status: .temporaryRedirect, headers: [.location: link, .cacheControl: "no-store"])
        }
        let grant = try await MemoryGrant(wanted.count, of: account, in: reader.budget)
        guard let bytes = try await store.chunks.read(place, wanted) else { throw Self.absent }
        note(bytes.count, name, isUpload: false, context)
        return .bytes(bytes, holding: grant, context, status: status, headers: headers)
    }

    /// Returns a link for a direct download; nil if the server has to send the bytes.
    private func link(to place: ChunkPlace, _ wanted: Range<Int>, _ request: Request) async throws -> String? {
        guard isDirect, wanted.count >= DirectDownload.smallest,
            request.headers[.direct] == DirectDownload.accepted
        else { return nil }
        return try await store.chunks.link(to: place, for: DirectDownload.lifetime)
    }

    private func note(_ bytes: Int, _ name: ContainerName, isUpload: Bool, _ context: ServerContext) {
        guard let device = context.signedIn else { return }
        board.note(
            bytes, .init(account: device.account, device: device.device, container: name, isUpload: isUpload))
    }

    private static let absent = CloudFailure(.notFound, "There is no such chunk in this container.")

    private func names<T: Sendable>(
        _ request: Request, of account: AccountID, atMost limit: Int = CloudLimits.names,
        _ use: ([ChunkID]) async throws -> T
    ) async throws -> T {
        try await reader.read(request, upTo: limit * 32 + 16, of: account) { body in
            try await use(decoding { try ChunkNames(decoding: body).ids })
        }
    }
}
