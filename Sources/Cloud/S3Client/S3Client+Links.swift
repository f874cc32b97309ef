import Basics

extension S3Client {
    /// Amazon's longest lifetime of a link.
    package static let longestLink = Duration.seconds(7 * 86_400)

    /// Returns a URL for public reading of an object ("Authenticating Requests: Using Query Parameters", Amazon S3 API
    /// Reference). Nothing is requested; the object need not exist.
    ///
    /// - Parameter lifetime: How long the link is valid, clamped to the range from 1 s to ``longestLink``.
    /// - Throws: ``S3Error`` `invalid` for an invalid key, or without credentials.
    package func link(to key: String, for lifetime: Duration) throws(S3Error) -> String {
        try check(key: key)
        let seconds = min(max(.seconds(1), lifetime), Self.longestLink).components.seconds
        let path = "\(target.path)/\(key)"
        let query = signer.linkQuery(
            host: target.host, path: path, with: try credentials(), at: time.now(), seconds: seconds)
        return "\(target.scheme)://\(target.host)\(SigV4.encode(path: path))?\(SigV4.encode(query: query))"
    }
}
