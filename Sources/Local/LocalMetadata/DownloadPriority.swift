/// The priority of a download, as in the column `wanted`: larger is sooner, 0 is not wanted.
package enum DownloadPriority {
    /// Only while there is plenty of space. This is no request: nothing waits for it, and `isDownloadRequested` does not count it.
    package static let whenSpace: UInt8 = 5
    /// Below a kept folder.
    package static let kept: UInt8 = 10
    /// The highest priority of a request that a user may end: bytes of ignore files, and of files about to be only on
    /// this device, are needed.
    package static let endable: UInt8 = 199
    /// An ignore file: until it is local, items excluded by its patterns would be uploaded.
    package static let ignoreFile: UInt8 = 200
}
