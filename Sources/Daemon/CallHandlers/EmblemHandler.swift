import Basics
import CloudModel
import ControlServer
import DaemonProtocol
import LiveQueries
import Sync
import Transfers
import VirtualFileSystem

struct EmblemHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on { (request: EmblemsRequest) in try await emblems(request) }
    }

    func emblems(_ request: EmblemsRequest) async throws -> EmblemsResponse {
        guard request.paths.count <= EmblemsRequest.limit else {
            throw DaemonFailure(
                .invalidRequest, "\(request.paths.count) paths are more than the \(EmblemsRequest.limit) allowed",
                advice: "Name fewer paths at a time.")
        }
        // A person looks at the folder: downloaded chunks, checked on the same threads, come later.
        return try await device.engine.context.transfers.pool.run(urgent: true) { () throws(any Error) in
            // Not inside the transaction: the list of transfers may read the database too.
            let transfers = device.querySource.transfers
            let paths = request.paths.map(\.path?.bytes)
            return EmblemsResponse(emblems: try device.files.emblems(of: paths) { transfers[$0] })
        }
    }
}
