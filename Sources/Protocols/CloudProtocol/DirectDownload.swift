/// Downloads of chunks directly from a server's bucket.
///
/// A device sending ``header`` may receive 307 (Temporary Redirect, RFC 9110) with a link to the frame instead of the
/// frame. The link is valid for ``lifetime``, for all its holders.
package enum DirectDownload {
    package static let header = "Ubiquity-Direct"
    /// The value of ``header``.
    package static let accepted = "1"
    /// Smaller parts of frames are sent by the server: a redirect costs a round trip more.
    package static let smallest = 64 << 10
    package static let lifetime = Duration.seconds(300)
    /// The maximum length of a followed link, in bytes.
    package static let longestLink = 8 << 10
}
