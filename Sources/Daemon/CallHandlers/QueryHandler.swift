import CloudModel
import ControlServer
import DaemonProtocol
import LiveQueries
import LocalMetadata
import Queries
import Sync
import Transfers

struct QueryHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.onEvents(of: FindRequest.self, find)
        router.onEvents(of: MonitorRequest.self) { _, client in try await monitor(client) }
    }

    func find(_ request: FindRequest, _ client: ClientContext) async throws -> AsyncThrowingStream<
        DaemonEvent, any Error
    > {
        let predicate = try Self.predicate(request)
        guard request.interval.map({ $0 >= 0 && $0 <= 3_600 }) ?? true else {
            throw DaemonFailure(.invalidRequest, "the interval is 0 to 3,600 seconds")
        }
        let scope = try await blocking { [self] in try self.scope(of: request) }
        let feed = try QueryFeed(
            device.queries, device.querySource, connection: client.connection, predicate, scope,
            isLive: request.live ?? false, interval: .seconds(request.interval ?? 0.25))
        return AsyncThrowingStream { try await feed.next() }
    }

    private static func predicate(_ request: FindRequest) throws(DaemonFailure) -> Predicate {
        do throws(PredicateError) {
            return request.acceptsWords == true
                ? try Predicate(typed: request.predicate) : try Predicate(parsing: request.predicate)
        } catch {
            throw DaemonFailure(.invalidRequest, error.description, advice: "docs/QUERIES.md describes predicates.")
        }
    }

    private func scope(of request: FindRequest) throws -> QueryScope {
        let containers = try request.containers?.map { name in
            guard let known = ContainerName(name),
                let container = try device.metadata.read({ try $0.container(named: known) })
            else { throw DaemonFailure(.notFound, "there is no container \(name)") }
            return container.id.value
        }
        return QueryScope(
            areas: Set((request.scopes ?? [.all]).map(QueryScope.Area.init)), containers: containers.map(Set.init))
    }

    func monitor(_ client: ClientContext) async throws -> AsyncThrowingStream<DaemonEvent, any Error> {
        let last = try await blocking { [metadata = device.metadata] in try metadata.read { try $0.local.lastNode() } }
        try device.queries.enter(client.connection)
        let feed = MonitorFeed(
            device.queries, connection: client.connection, after: last, device.engine.context.transfers.clock)
        return AsyncThrowingStream { await feed.next() }
    }
}

extension QueryScope.Area {
    fileprivate init(_ scope: FindScope) {
        switch scope {
        case .documents: self = .documents
        case .data: self = .data
        case .all: self = .all
        case .external: self = .external
        }
    }
}
