/// How an item is read; the bits of `NSFileCoordinator.ReadingOptions`.
package struct ReadingOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Presenters are not asked to save first.
    package static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
    /// Reads the target of a symbolic link, not the link.
    package static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
    /// Granted immediately, even during a write; content may be missing or in the middle of a change.
    package static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
    /// The access ends when a snapshot has been taken.
    package static let forUploading = ReadingOptions(rawValue: 1 << 3)
}
