import Hummingbird
import ServerStorage

extension CloudServer {
    /// What people reach with a browser: the console and published links; and how devices publish.
    func addPeople(
        to router: Router<ServerContext>, devices: RouterGroup<ServerContext>, _ reader: BodyReader,
        _ board: TransferBoard, isEncrypted: Bool
    ) {
        // Apart from that of devices: who downloads slowly holds up no sync.
        let budget = MemoryBudget(limit: 128 << 20)
        let desk = ConsoleDesk(
            store: store, trees: ContainerTrees(store), reader: reader, budget: budget, board: board,
            isEncrypted: isEncrypted)
        ConsoleRoutes(desk: desk).add(to: router)
        PublicLinkRoutes(store, reader, budget, isEncrypted: isEncrypted).add(to: router)
        LinkRoutes(store: store, reader: reader, budget: budget).add(to: devices)
    }
}
