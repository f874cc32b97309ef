/// Uploads what is under these paths now, without waiting for writing to settle; no path means all of the mount.
package struct SyncRequest: Codable, Hashable, Sendable {
    package let paths: [MountPath]
    /// Answer only when it is all in the cloud (and what the cloud had then is known here).
    package let wait: Bool
    /// Seconds after which a waiting request fails with `timedOut`; nil waits as long as it takes.
    package let timeout: Double?

    package init(paths: [MountPath], wait: Bool, timeout: Double? = nil) {
        self.paths = paths
        self.wait = wait
        self.timeout = timeout
    }
}

package struct SyncResponse: Codable, Hashable, Sendable {
    /// Items that still wait; 0 after a waiting request.
    package let pendingItems: UInt64
    package let pendingBytes: UInt64

    package init(pendingItems: UInt64, pendingBytes: UInt64) {
        self.pendingItems = pendingItems
        self.pendingBytes = pendingBytes
    }
}
