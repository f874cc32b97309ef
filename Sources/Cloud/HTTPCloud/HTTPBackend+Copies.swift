package import CloudModel
import CloudProtocol
import CloudStorage

extension HTTPBackend: CloudContinuing {
    package func record(former identity: String, ends: [ContainerName: LogSequence]) async throws {
        let message = FormerCloud(
            identity: identity,
            ends: Dictionary(ends.map { ($0.key.text, $0.value.value) }, uniquingKeysWith: max))
        do {
            try await connection.send(Exchange(.put, CloudRoutes.former, body: try WireJSON.encode(message)))
        } catch let error as CloudError where error.code == .notFound {
            throw CloudError(
                .tooOld, "\(connection.address) does not know copies of clouds. Install a newer ubiquity-server there.")
        }
    }
}
