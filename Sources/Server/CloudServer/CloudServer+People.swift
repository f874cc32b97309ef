import CloudModel
import Hummingbird
import ServerStorage

extension CloudServer {
    /// Adds the routes for browsers (the console and published links) and the routes for publishing from devices.
    func addPeople(
        to router: Router<ServerContext>, devices: RouterGroup<ServerContext>, _ reader: BodyReader,
        _ board: TransferBoard, _ audit: Audit, isEncrypted: Bool, publicURL: String?, retention: Retention
    ) {
        // Separate from the device budget, so a slow download holds up no sync.
        let budget = MemoryBudget(limit: 128 << 20)
        let service = ConsoleService(
            store: store, reader: reader, budget: budget, board: board, audit: audit, isEncrypted: isEncrypted,
            publicURL: publicURL, retention: retention, factorAttempts: AttemptLimiter("second factor", store))
        ConsoleRoutes(service: service).add(to: router)
        PublicLinkRoutes(store, reader, budget, audit, isEncrypted: isEncrypted).add(to: router)
        LinkRoutes(store: store, reader: reader, audit: audit).add(to: devices)
    }
}
