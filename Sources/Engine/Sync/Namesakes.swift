import Basics
import CloudModel
import ContainerLog
import Synchronization

/// Detects a second device writing to the cloud under this device's name, so that its versions and conflicts look like
/// this device's own.
package final class Namesakes: Sendable {
    private let isFound = Atomic(false)
    private let start: Timestamp

    /// - Parameter start: Earlier entries are ignored: this device may have written them before its state was reset.
    init(since start: Timestamp) { self.start = start }

    package var areFound: Bool { isFound.load(ordering: .relaxed) }

    func look(at batch: ChangeBatch, device: DeviceID, name: String) {
        guard batch.device != device, batch.deviceName == name, batch.time > start else { return }
        isFound.store(true, ordering: .relaxed)
    }
}
