/// What one request may hold, in bytes unless said otherwise. A server refuses more before it reads it; a client splits.
package enum CloudLimits {
    /// One entry of a log.
    package static let entry = 16 << 20
    /// The frame of one chunk.
    package static let frame = 16 << 20
    /// The body of a request with many chunks.
    package static let batchBody = 16 << 20
    /// Chunks in one such request.
    package static let batchChunks = 1024
    /// Names of chunks in one question.
    package static let names = 1 << 16
    /// Entries in one page of a log.
    package static let pageEntries = 1024
    /// Bytes of entries after which a page ends; it has at least one entry.
    package static let pageBytes = 8 << 20
    /// A JSON body.
    package static let json = 64 << 10
    /// A line of the change feed.
    package static let newsLine = 4 << 20
}
