package enum ContentCommand: Sendable {
    case download, keep, downloadWhenSpace, evict
    /// Ends requested downloads: all of them, or those requested only by a pin.
    case cancel, cancelKept
}
