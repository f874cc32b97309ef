import CloudModel
import ContainerLog
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import VirtualFileSystem

struct ContainerHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(names)
    }

    /// Sets or returns a container's comparison of names. The setting is durable on this device when this method
    /// returns; the next batch sends it to all devices.
    func names(_ request: ContainerNamesRequest) async throws -> ContainerNamesResponse {
        let response = try await blocking { [self] in
            guard let ignoresCase = request.ignoresCase else {
                guard let container = try device.store(request.container) else {
                    throw DaemonFailure(.notFound, "there is no container \(request.container)")
                }
                return try comparison(in: container)
            }
            let container = try device.made(request.container)
            guard try comparison(in: container).ignoresCase != ignoresCase else { return try comparison(in: container) }
            guard try device.metadata.read({ try $0.isEmpty(container) }) else {
                throw DaemonFailure(
                    .invalidRequest,
                    "\(request.container) is not empty, and only names of an empty container can be compared in another way",
                    advice:
                        "Make another container, set it there, and move the documents. If it was emptied just now, sync first."
                )
            }
            try device.files.setFoldsNames(ignoresCase, in: container)
            try device.metadata.makeDurable()
            return try comparison(in: container)
        }
        device.engine.localTreeChanged()
        return response
    }

    private func comparison(in container: ContainerID) throws -> ContainerNamesResponse {
        try device.metadata.read { transaction in
            let ignoresCase = try transaction.local.foldsNames(in: container)
            let state = try transaction.remote(in: container).state()
            return ContainerNamesResponse(ignoresCase: ignoresCase, isInCloud: ignoresCase == state.foldsNames)
        }
    }
}
