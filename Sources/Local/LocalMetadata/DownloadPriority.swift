/// The priority of a download, as in the column `wanted`: larger is sooner, 0 is not wanted.
package enum DownloadPriority {
    /// Only while there is plenty of space. This is no request: nothing waits for it, and `isDownloadRequested` does not count it.
    package static let whenSpace: UInt8 = 5
    /// Below a folder that is kept.
    package static let kept: UInt8 = 10
    /// The highest priority of a request that a person may end: bytes of ignore files, and of files that only this device will have, are
    /// needed.
    package static let endable: UInt8 = 199
    /// An ignore file: until it is here, what its patterns exclude would be uploaded.
    package static let ignoreFile: UInt8 = 200
}
