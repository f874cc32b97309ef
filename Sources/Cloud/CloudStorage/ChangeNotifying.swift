package import CloudModel

/// A cloud that notifies its devices of changes. Devices of any other cloud poll.
package protocol ChangeNotifying: CloudBackend {
    /// Returns hints that something may be new, from now on. The stream ends when its consumer stops, and survives an interruption of the
    /// cloud.
    func events() -> AsyncStream<CloudEvent>
}

package enum CloudEvent: Hashable, Sendable {
    case containerChanged(ContainerName)
    case containersChanged
    /// The cloud became unreachable or reachable: retry now instead of at the end of the back-off.
    case reachabilityChanged
}
