import Hummingbird
import ServerStorage

extension CloudServer {
    /// What people reach with a browser: the console and published links; and how devices publish.
    func addPeople(
        to router: Router<ServerContext>, devices: RouterGroup<ServerContext>, _ reader: BodyReader,
        _ board: TransferBoard, _ audit: Audit, isEncrypted: Bool, publicOrigin: WebOrigin?
    ) {
        // Apart from that of devices: who downloads slowly holds up no sync.
        let budget = MemoryBudget(limit: 128 << 20)
        let service = ConsoleService(
            store: store, trees: ContainerTrees(store), reader: reader, budget: budget, board: board, audit: audit,
            isEncrypted: isEncrypted, publicOrigin: publicOrigin)
        ConsoleRoutes(service: service).add(to: router)
        PublicLinkRoutes(store, reader, budget, audit, isEncrypted: isEncrypted).add(to: router)
        LinkRoutes(store: store, reader: reader, audit: audit).add(to: devices)
    }
}
