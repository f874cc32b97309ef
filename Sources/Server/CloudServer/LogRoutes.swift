import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import ServerStorage

/// Routes for appending to a log and reading it.
struct LogRoutes: Sendable {
    let store: ServerStore
    let reader: BodyReader

    func append(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice()
        let account = device.account
        let name = try context.container()
        let key = try request.headers[.appendKey].map { text in
            guard let key = AppendKey(text) else {
                throw CloudFailure(.invalidRequest, "\(AppendKey.header) is not 32 hexadecimal digits.")
            }
            return key
        }
        let position = try request.position("after")
        let sequence = try await reader.read(request, upTo: CloudLimits.entry, of: account) { payload in
            try await noting(position, of: device, in: name) {
                try await store.logs.append(payload, key: key, after: position, to: name, of: account)
            }
        }
        return try .json(AppendResponse(sequence: sequence.value))
    }

    func read(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice()
        let account = device.account
        let name = try context.container()
        let after = try request.position("after")
        let limit = Int(clamping: try request.number("limit") ?? UInt64(CloudLimits.pageEntries))
        let grant = try await MemoryGrant(CloudLimits.pageBytes, of: account, in: reader.budget)
        let read = { try await store.logs.page(of: name, after: after, limit: limit, account: account).encoded() }
        // Without a limit for entries the request asks whether this is a copy of a cloud read by the device.
        let page = limit == 0 ? try await read() : try await noting(after, of: device, in: name, read)
        grant.shrink(to: page.count)
        return .bytes(page, holding: grant, context)
    }

    /// Records whether the log has the position last read by a device.
    private func noting<T>(
        _ position: LogPosition, of device: SignedInDevice, in name: ContainerName, _ body: () async throws -> T
    ) async throws -> T {
        do {
            let result = try await body()
            await store.ahead.settle(position, of: device, in: name)
            return result
        } catch let error as StorageError where error.code == .diverged {
            await store.ahead.note(position, of: device, in: name)
            throw error
        }
    }
}
