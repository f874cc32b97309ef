import Synchronization

/// The containers whose logs in the cloud differ from those read by this device, as in the table `container`: every
/// document's state depends on it, so it is not read for each.
package final class DivergedContainers: Sendable {
    private let known = Mutex<Set<ContainerID>>([])

    package func contains(_ container: ContainerID) -> Bool { known.withLock { $0.contains(container) } }

    package var isEmpty: Bool { known.withLock { $0.isEmpty } }

    package func set(_ container: ContainerID, isDiverged: Bool) {
        known.withLock { known in
            if isDiverged { known.insert(container) } else { known.remove(container) }
        }
    }
}
