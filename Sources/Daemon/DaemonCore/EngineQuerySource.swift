import LiveQueries
import LocalMetadata
import Sync
import Transfers
import VirtualFileSystem

/// Gives live queries access to the engine: its transfers, its cloud and its threads.
struct EngineQuerySource: QuerySource {
    private let engine: SyncEngine

    init(_ engine: SyncEngine) { self.engine = engine }

    var clock: any Clock<Duration> { engine.context.transfers.clock }

    var transfers: TransferTable {
        var fractions: [NodeID: TransferFractions] = [:]
        for transfer in engine.transfers {
            let done = transfer.total > 0 ? Double(transfer.done) / Double(transfer.total) : 0
            if transfer.isUpload {
                fractions[transfer.item.node, default: TransferFractions()].uploading = done
            } else {
                fractions[transfer.item.node, default: TransferFractions()].downloading = done
            }
        }
        return TransferTable(fractions)
    }

    var cloud: CloudState { engine.state }

    func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await engine.context.blocking(work)
    }
}
