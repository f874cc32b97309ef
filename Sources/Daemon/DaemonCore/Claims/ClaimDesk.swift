import CloudModel
import Coordination
import DaemonProtocol
import LocalMetadata
import Logging
import VirtualFileSystem

/// The daemon's one arbiter, with what it has to hear: requests of clients, changes of the tree, programs that stop or die.
final class ClaimDesk: TreeWitness {
    let ledger: ClaimLedger
    private let arbiter: Arbiter<ContinuousClock>

    init(_ metadata: MetadataDatabase, log: Logger) {
        ledger = ClaimLedger(log: log)
        arbiter = Arbiter(tree: MetadataItemTree(metadata: metadata, log: log), messenger: ledger, clock: .continuous)
    }

    var snapshot: ClaimSnapshot { arbiter.snapshot() }

    // MARK: Clients

    /// Asks in the name of a client that ``ClaimLedger/add(_:)`` has made room for. Returns at once; the outcome is told once.
    func open(
        _ request: Coordination.ClaimRequest, for client: ClientContext,
        _ outcome: @escaping @Sendable (Result<[ItemKey], ClaimError>) -> Void
    ) {
        let id = arbiter.open(request, outcome)
        guard !ledger.note(id, of: client) else { return }
        abandon(id, of: client)
        ledger.remove(client.request, of: client)
    }

    func finish(_ request: UInt64, of client: ClientContext) -> ClaimLedger.End {
        let end = ledger.finish(request, of: client)
        if case .claim(let id) = end { abandon(id, of: client) }
        if end != .calledOff { ledger.remove(request, of: client) }
        return end
    }

    /// Ends it whether it waits or is held; a grant may come between.
    func abandon(_ id: ClaimID, of client: ClientContext) {
        arbiter.cancel(id, of: ClientID(client.connection))
        arbiter.finish(id, of: ClientID(client.connection))
    }

    /// The client is gone: others go on at once.
    func end(_ connection: UInt64) {
        ledger.removeAll(of: connection)
        arbiter.end(ClientID(connection))
    }

    // MARK: The tree

    func happened(_ change: TreeChange) {
        // A claim is entered in the ledger before its items are looked up, and no change is under way then.
        guard !ledger.isEmpty else { return }
        switch change {
        case .created(let item): arbiter.tell(.created(ItemNumber(item.node), at: item.place, by: nil))
        case .removed(let item): arbiter.tell(.deleted(ItemNumber(item.node), from: item.place, by: nil))
        case .moved(let item, let folder, let name):
            let place = ItemPlace(folder: ItemNumber(folder), name: name)
            arbiter.tell(.moved(ItemNumber(item.node), from: item.place, to: place, by: nil))
        }
    }

    // MARK: Programs that stand still

    /// Looks each second whether the programs that have claims are stopped: nothing tells a process that another one is.
    func watchStoppedPrograms() async {
        var stopped: Set<ClientID> = []
        while !Task.isCancelled {
            // Only cancellation ends the sleep early, and then the loop.
            try? await Task.sleep(for: .seconds(1))
            let now = Set(ledger.processes.filter { ProcessState.isStopped($0.value) }.keys)
            for client in now.subtracting(stopped) { arbiter.tell(.clientFroze(client)) }
            for client in stopped.subtracting(now) { arbiter.tell(.clientThawed(client)) }
            stopped = now
        }
    }
}

extension LocalItem {
    var place: ItemPlace { ItemPlace(folder: ItemNumber(parent), name: name) }
}
