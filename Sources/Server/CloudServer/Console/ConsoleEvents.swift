import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import ServerConsole
import ServerStorage

/// Notifies pages of changes (Server-Sent Events, HTML 9.2). An event has no content: the page is fetched again.
struct ConsoleEvents: Sendable {
    /// How often pages are refreshed while data is being transferred.
    private static let busyPause = Duration.seconds(2)
    private static let pause = Duration.seconds(15)
    private static let shortestPause = Duration.seconds(1)
    let service: ConsoleService
    private let slots = ResponseSlots(limit: maximumStreams)

    /// The most simultaneous streams per account: a browser has one for each of its windows.
    private static let maximumStreams = 8

    init(service: ConsoleService) { self.service = service }

    func stream(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let visit = try await service.visit(request, "./", context) else {
            return Response(status: .unauthorized)
        }
        // Without a stream a page still works; it shows changes when it is loaded again.
        guard let slot = slots.take(visit.account.value) else {
            return Response(status: .tooManyRequests, headers: [.retryAfter: "60"])
        }
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await send(to: visit.session, &writer)
                try await writer.finish(nil)
                withExtendedLifetime(slot) {}
            })
    }

    /// Page contents beyond the logs.
    private struct Rest: Hashable {
        let transfers: [TransferBoard.Entry]
        let lists: AccountRevision
    }

    @concurrent
    private func send(to session: ConsoleSession, _ writer: inout any ResponseBodyWriter) async throws {
        let changes = service.store.changes
        var last: (revision: UInt64, rest: Rest)?
        while !changes.isClosed, !Task.isCancelled {
            let begun = ContinuousClock.now
            let revision = try await changes.latest(of: session.account).revision
            let rest = Rest(
                transfers: service.board.entries(of: session.account),
                lists: try await service.store.revision(of: session.account))
            let isNew = last.map { $0.revision != revision || $0.rest != rest } ?? false
            let text = isNew ? "event: change\ndata: \(revision)\n\n" : ": alive\n\n"
            try await writer.write(ByteBuffer(string: text))
            last = (revision, rest)
            await changes.wait(
                for: session.account, after: revision, atMost: rest.transfers.isEmpty ? Self.pause : Self.busyPause)
            guard try await service.store.sessions.isOpen(session) else { return }
            // However fast devices append, a page is fetched again once in a while.
            try await Task.sleep(until: begun + Self.shortestPause)
        }
    }
}
