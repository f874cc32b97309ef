import CloudModel
import ControlServer
package import DaemonProtocol
import LocalMetadata
import Sync

/// Performs calls about shared databases.
package protocol DatabaseCalls: Sendable {
    /// - Parameter limit: How long the call may take.
    func perform<Call: DaemonCall>(_ call: Call, within limit: Duration) async throws -> Call.Response

    /// Returns problems in syncing shared files, and decisions awaiting a person, as known now. Waits for no file.
    func problems() async -> [DaemonFailure]
}

/// Passes calls about shared databases on to their process.
struct DatabaseHandler: NounHandler {
    /// Noting a large file's rows, or creating its tables, takes time.
    private static let longLimit: Duration = .seconds(600)
    private static let limit: Duration = .seconds(60)

    let device: MountedDevice
    let databases: any DatabaseCalls

    func register(in router: inout CallRouter) {
        router.on { (request: ShareDatabaseRequest) in
            try await DatabaseResponse(noted(databases.perform(request, within: Self.longLimit).database))
        }
        router.on { (request: AttachDatabaseRequest) in
            try await DatabaseResponse(noted(databases.perform(request, within: Self.longLimit).database))
        }
        router.on { (request: DatabasesRequest) in
            let found = try await databases.perform(request, within: Self.limit)
            return DatabasesResponse(databases: try found.databases.map(noted), available: found.available)
        }
        router.on { (request: DetachDatabaseRequest) in
            try await databases.perform(request, within: Self.longLimit)
        }
        router.on { (request: DatabaseHistoryRequest) in try await databases.perform(request, within: Self.limit) }
        router.on { (request: DatabaseReviewRequest) in try await databases.perform(request, within: Self.limit) }
        router.on { (request: ResolveDatabaseRequest) in try await databases.perform(request, within: Self.limit) }
    }

    /// Adds why the cloud is unreachable or not followed, as this is unknown to the process keeping the file.
    private func noted(_ status: DatabaseStatus) throws -> DatabaseStatus {
        var status = status
        let container = try device.metadata.read { transaction in
            try transaction.containers().first { $0.name.folderName == status.container }
        }
        if let why = container?.divergence {
            status.notes.append(
                "The container \(status.container) is not followed, and nothing is sent or received: \(why)")
            if status.state == .current || status.state == .syncing { status.state = .stopped }
        } else if let container, try device.metadata.read({ try $0.followed(container.id) }) == nil {
            status.notes.append("The container \(status.container) is still being read.")
            if status.state == .current { status.state = .syncing }
        }
        switch device.engine.state {
        case .online, .connecting: break
        case .offline(let why), .stopped(let why):
            status.notes.append("The cloud cannot be reached, and transactions wait: \(why)")
            if status.state == .current { status.state = .syncing }
        }
        return status
    }
}
