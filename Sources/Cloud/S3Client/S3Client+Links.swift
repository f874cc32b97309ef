import Basics

extension S3Client {
    /// The longest time for which Amazon accepts a link.
    package static let longestLink = Duration.seconds(7 * 86_400)

    /// Returns a URL with which everyone can read an object ("Authenticating Requests: Using Query Parameters", Amazon S3 API Reference).
    /// Nothing is requested; the object need not exist.
    ///
    /// - Parameter lifetime: How long the link is valid, from 1 s to ``longestLink``; other values are clamped to these.
    /// - Throws: ``S3Error`` `invalid` for a key that is not valid, and where there are no credentials.
    package func link(to key: String, for lifetime: Duration) throws(S3Error) -> String {
        try check(key: key)
        let seconds = min(max(.seconds(1), lifetime), Self.longestLink).components.seconds
        let path = "\(target.path)/\(key)"
        let query = signer.linkQuery(
            host: target.host, path: path, with: try credentials(), at: time.now(), seconds: seconds)
        return "\(target.scheme)://\(target.host)\(SigV4.encode(path: path))?\(SigV4.encode(query: query))"
    }
}
