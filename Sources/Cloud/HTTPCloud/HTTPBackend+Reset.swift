import CloudProtocol
import CloudStorage

extension HTTPBackend: RemoteResettable {
    package var isResetAsked: Bool { connection.isResetAsked }

    package func confirmReset() async throws { try await connection.send(Exchange(.post, CloudRoutes.reset)) }
}
