package import CloudModel

/// A cloud that notifies its devices of changes; of any other a device learns by polling.
package protocol ChangeNotifying: CloudBackend {
    /// Hints that something may be new, from now on. The stream ends when its consumer stops, and survives a cloud that goes away and
    /// comes back.
    func events() -> AsyncStream<CloudEvent>
}

package enum CloudEvent: Hashable, Sendable {
    case containerChanged(ContainerName)
    case containersChanged
    /// The cloud went away or came back: try again now instead of at the end of the back-off.
    case reachabilityChanged
}
