import ControlServer
import DaemonProtocol
import Sync

/// Takes the device off its cloud, and back.
struct OnlineHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(setOnline)
    }

    func setOnline(_ request: SetOnlineRequest) async throws -> DoneResponse {
        try await blocking { [self] in try device.setOffline(!request.isOnline) }
        device.engine.cloudSwitched(isOffline: !request.isOnline)
        return DoneResponse()
    }
}
