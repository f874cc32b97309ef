import Basics
import CloudModel
import ContainerLog
import Synchronization

/// Whether another device writes to the cloud under this device's name, so that its versions and conflicts look like those of this one.
package final class Namesakes: Sendable {
    private let isFound = Atomic(false)
    private let start: Timestamp

    /// - Parameter start: Entries that were made before are not counted: they may be of this device before its state was reset.
    init(since start: Timestamp) { self.start = start }

    package var areFound: Bool { isFound.load(ordering: .relaxed) }

    func look(at batch: ChangeBatch, device: DeviceID, name: String) {
        guard batch.device != device, batch.deviceName == name, batch.time > start else { return }
        isFound.store(true, ordering: .relaxed)
    }
}
