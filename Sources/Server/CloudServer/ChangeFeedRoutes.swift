import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerStorage

/// The change feed for devices: a long response, or, behind a buffering proxy, a response delayed until a change.
struct ChangeFeedRoutes: Sendable {
    let store: ServerStore
    private let metrics: ServerMetrics
    /// The longest time between two lines, so both ends notice a lost peer.
    let heartbeat: Duration
    /// The longest time for which changes are sent without checking whether the device's access has ended. They only
    /// contain log lengths; each request for entries does its own check.
    private static let accessInterval = Duration.seconds(1)

    init(store: ServerStore, metrics: ServerMetrics, heartbeat: Duration) {
        self.store = store
        self.metrics = metrics
        self.heartbeat = heartbeat
    }

    /// Sends a single response after at most `wait` seconds if the query has `after`, otherwise a stream of lines.
    func changes(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice()
        guard let revision = try request.number("after") else { return stream(to: device) }
        let patience = Duration.seconds(min(60, try request.number("wait") ?? 30))
        if try await store.changes.latest(of: device.account).revision == revision {
            try await wait(for: device.account, after: revision, atMost: patience)
        }
        return try await .json(store.changes.latest(of: device.account))
    }

    private func stream(to device: SignedInDevice) -> Response {
        let headers: HTTPFields = [.contentType: "application/x-ndjson", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await send(to: device, &writer)
                try await writer.finish(nil)
            })
    }

    /// Sends the state whenever it changes. A slow reader slows this down and gets the newest state next: nothing
    /// queues up.
    @concurrent
    private func send(to device: SignedInDevice, _ writer: inout any ResponseBodyWriter) async throws {
        metrics.streamOpened()
        defer { metrics.streamClosed() }
        var sent: [String: UInt64]?
        var checked = ContinuousClock.now
        while !store.changes.isClosed, !Task.isCancelled {
            let event = try await store.changes.latest(of: device.account)
            let changed = event.containers.filter { sent == nil || sent?[$0.key] != $0.value }
            let line = try WireJSON.encode(ChangeFeedEvent(revision: event.revision, containers: changed))
            try await writer.write(ByteBuffer(bytes: line + [UInt8(ascii: "\n")]))
            sent = event.containers
            try await wait(for: device.account, after: event.revision, atMost: heartbeat)
            guard ContinuousClock.now - checked >= Self.accessInterval else { continue }
            guard try await store.devices.isSignedIn(device) else { return }
            checked = .now
        }
    }

    /// Waits for a change. If none arrives in time, reads the database too: owner commands append from separate
    /// processes.
    private func wait(for account: AccountID, after revision: UInt64, atMost patience: Duration) async throws {
        await store.changes.wait(for: account, after: revision, atMost: patience)
        guard try await store.changes.latest(of: account).revision == revision else { return }
        try await store.changes.refresh(account)
    }
}
