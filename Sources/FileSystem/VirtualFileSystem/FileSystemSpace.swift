/// The result of `statvfs(3)`.
package struct FileSystemSpace: Sendable {
    package let blockSize: UInt64
    package let blocks: UInt64
    package let free: UInt64
    package let available: UInt64
    package let files: UInt64
    package let freeFiles: UInt64
}
