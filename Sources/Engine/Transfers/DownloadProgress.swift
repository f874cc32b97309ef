/// How much of a content is on this device.
package struct DownloadProgress: Hashable, Sendable {
    package let presentBytes: UInt64
    package let size: UInt64
    package let isComplete: Bool

    /// In 0...1; an empty content is complete.
    package var fraction: Double { isComplete ? 1 : size == 0 ? 0 : Double(presentBytes) / Double(size) }
}
