import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import ServerStorage

/// Routes for an account's cloud, its containers and its space.
struct ContainerRoutes: Sendable {
    let store: ServerStore
    let reader: BodyReader

    func cloud(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await describe(context.requireDevice().account)
    }

    func makeCloud(_ request: Request, _ context: ServerContext) async throws -> Response {
        let device = try context.requireDevice()
        if device.scope == .full { _ = try await store.accounts.makeCloud(of: device.account) }
        return try await describe(device.account)
    }

    private func describe(_ account: AccountID) async throws -> Response {
        try .json(CloudDescription(identity: try await store.accounts.cloud(of: account)))
    }

    func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let names = try await store.logs.containers(of: context.requireDevice().account)
        return try .json(ContainerList(containers: names.map(\.text)))
    }

    func create(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (device, name) = (try context.requireDevice(), try context.container())
        guard device.scope == .full else {
            guard try await store.logs.containers(of: device.account).contains(name) else { throw Refusals.readOnly }
            return .done
        }
        try await store.logs.createContainer(name, of: device.account)
        return .done
    }

    func space(_ request: Request, _ context: ServerContext) async throws -> Response {
        try .json(try await store.accounts.space(of: context.requireDevice().account))
    }

    func storage(_ request: Request, _ context: ServerContext) async throws -> Response {
        try .json(try await store.use(of: context.requireDevice().account))
    }
}
