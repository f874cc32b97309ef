/// The limits of one request, in bytes unless noted otherwise. A server refuses a larger request before it reads it; a client splits its
/// requests.
package enum CloudLimits {
    /// The size of one entry of a log.
    package static let entry = 16 << 20
    /// The size of the frame of one chunk.
    package static let frame = 16 << 20
    /// The size of the body of a request with many chunks.
    package static let batchBody = 16 << 20
    /// The number of chunks in such a request.
    package static let batchChunks = 1024
    /// The size to which the chunks of such a request decompress together.
    package static let batchPlain = 1 << 30
    /// The number of chunk names in one query.
    package static let names = 1 << 16
    /// The number of chunk names in a request to distrust them, which is more than a reader finds damaged at once.
    package static let distrusted = 1024
    /// The number of links in one page.
    package static let pageLinks = 200
    /// The number of entries in one page of a log.
    package static let pageEntries = 1024
    /// The size of entries after which a page ends; a page has at least one entry.
    package static let pageBytes = 8 << 20
    /// The length of a cloud's identity.
    package static let identity = 256
    /// The size of a JSON body.
    package static let json = 64 << 10
    /// The size of a line of the change feed.
    package static let changeFeedLine = 4 << 20
}
