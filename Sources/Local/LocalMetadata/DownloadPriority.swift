/// How soon bytes are wanted, as the column `wanted` has it: larger is sooner, 0 is not at all.
package enum DownloadPriority {
    /// Only while there is plenty of space. Not a request: nothing waits for it, and `isDownloadRequested` does not count it.
    package static let whenSpace: UInt8 = 5
    /// Below a folder that is kept.
    package static let kept: UInt8 = 10
}
