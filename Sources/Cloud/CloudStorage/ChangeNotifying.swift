package import CloudModel

/// A cloud that notifies its devices of changes. Devices of all remaining clouds poll.
package protocol ChangeNotifying: CloudBackend {
    /// Returns hints of possible changes from now on. The stream ends when its consumer stops, and survives an
    /// interruption of the cloud.
    func events() -> AsyncStream<CloudEvent>
}

package enum CloudEvent: Hashable, Sendable {
    case containerChanged(ContainerName)
    case containersChanged
    /// The cloud became unreachable or reachable: retry now instead of at the end of the back-off.
    case reachabilityChanged
}
