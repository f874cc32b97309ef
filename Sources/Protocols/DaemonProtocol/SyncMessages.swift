/// Uploads everything under these paths now, without waiting for writing to settle; no path means the whole mount.
package struct SyncRequest: DaemonCall {
    package typealias Response = SyncResponse
    package static let verb = "sync"

    package let paths: [MountPath]
    /// Whether to respond only when everything is in the cloud, and the cloud's state as of the request is known on
    /// this device.
    package let wait: Bool
    /// Seconds until a waiting request fails with `timedOut`; nil waits without a limit.
    package let timeout: Double?

    package init(paths: [MountPath], wait: Bool, timeout: Double? = nil) {
        self.paths = paths
        self.wait = wait
        self.timeout = timeout
    }
}

package struct SyncResponse: CallResponse {
    package static let kind = "sync"

    /// The number of items still pending; 0 after a waiting request.
    package let pendingItems: UInt64
    package let pendingBytes: UInt64

    package init(pendingItems: UInt64, pendingBytes: UInt64) {
        self.pendingItems = pendingItems
        self.pendingBytes = pendingBytes
    }
}
