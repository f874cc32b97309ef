import Basics
import CloudModel
import ContainerLog
import Synchronization

/// Detects other devices writing to the cloud under this device's name, so that their versions and conflicts look like
/// this device's own.
package final class Namesakes: Sendable {
    private let devices = Mutex(Set<DeviceID>())
    private let start: Timestamp

    /// - Parameter start: Earlier entries are ignored: this device may have written them before its state was reset.
    init(since start: Timestamp) { self.start = start }

    /// Whether the last entry of any other device since the start has this device's name.
    package var areFound: Bool { devices.withLock { !$0.isEmpty } }

    func look(at batch: ChangeBatch, device: DeviceID, name: String) {
        guard batch.device != device, batch.time > start else { return }
        devices.withLock { devices in
            if batch.deviceName == name { devices.insert(batch.device) } else { devices.remove(batch.device) }
        }
    }
}
