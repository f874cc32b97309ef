/// Requests the state of the mount, and of items if paths are given.
package struct StatusRequest: Codable, Hashable, Sendable {
    package let paths: [MountPath]
    package init(paths: [MountPath] = []) { self.paths = paths }
}

/// Requests the same as ``StatusRequest``, now and after each change.
package struct WatchRequest: Codable, Hashable, Sendable {
    package let paths: [MountPath]
    package init(paths: [MountPath] = []) { self.paths = paths }
}

package struct StatusResponse: Codable, Hashable, Sendable {
    package let mount: MountStatus
    /// One for each requested path that exists.
    package let items: [ItemStatus]
    /// One for each requested path that does not exist.
    package let failures: [DaemonFailure]

    package init(mount: MountStatus, items: [ItemStatus] = [], failures: [DaemonFailure] = []) {
        self.mount = mount
        self.items = items
        self.failures = failures
    }
}
