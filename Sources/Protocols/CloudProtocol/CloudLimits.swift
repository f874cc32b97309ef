/// The limits of a request, in bytes unless noted otherwise. A server refuses a larger request before reading it; a
/// client splits its requests.
package enum CloudLimits {
    /// The size of a log entry.
    package static let entry = 16 << 20
    /// The size of a chunk's frame.
    package static let frame = 16 << 20
    /// The size of the body of a request with many chunks.
    package static let batchBody = 16 << 20
    /// The number of chunks in such a request.
    package static let batchChunks = 1024
    /// The total decompressed size of the chunks of such a request.
    package static let batchPlain = 1 << 30
    /// The number of chunk names in a query.
    package static let names = 1 << 16
    /// The number of chunk names in a request to distrust them, more than a reader finds damaged at once.
    package static let distrusted = 1024
    /// The number of links in a page.
    package static let pageLinks = 200
    /// The number of entries in a page of a log.
    package static let pageEntries = 1024
    /// A page ends once its entries reach this size; a page has at least one entry.
    package static let pageBytes = 8 << 20
    /// The length of a cloud's identity.
    package static let identity = 256
    /// The size of a JSON body.
    package static let json = 64 << 10
    /// The size of a line of the change feed.
    package static let changeFeedLine = 4 << 20
}
