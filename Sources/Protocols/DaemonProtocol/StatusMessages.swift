/// Requests the state of the mount, and of items if paths are given.
package struct StatusRequest: DaemonCall {
    package typealias Response = StatusResponse
    package static let verb = "status"

    package let paths: [MountPath]
    package init(paths: [MountPath] = []) { self.paths = paths }
}

/// Requests the same as ``StatusRequest``, once now and again after each change.
package struct WatchRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "watch"

    package let paths: [MountPath]
    package init(paths: [MountPath] = []) { self.paths = paths }
}

package struct StatusResponse: CallResponse {
    package static let kind = "status"

    package let mount: MountStatus
    /// The states of the existing requested paths.
    package let items: [ItemStatus]
    /// The failures of the missing requested paths.
    package let failures: [DaemonFailure]

    package init(mount: MountStatus, items: [ItemStatus] = [], failures: [DaemonFailure] = []) {
        self.mount = mount
        self.items = items
        self.failures = failures
    }
}
