package enum ContentCommand: Sendable {
    case download, keep, downloadWhenSpace, evict
    /// Ends requested downloads: all of them, or those that only a pin has requested.
    case cancel, cancelKept
}
