/// The kinds of clouds: their addresses' beginnings, and their features. `ServerAddress` and `S3Location` read the rest
/// of an address.
package enum CloudKind: Sendable {
    /// A folder, on this machine or on a mounted file system.
    case directory
    /// A `ubiquity-server`.
    case server
    /// A prefix in a bucket of an object store.
    case bucket

    /// The addresses of all kinds, for help and advice.
    package static let forms = "file:///DIR, http(s)://HOST or s3://BUCKET/PREFIX"

    /// Returns the kind of a URL by its scheme; nil for text without a known scheme.
    package init?(of url: String) {
        guard let colon = url.firstRange(of: "://") else { return nil }
        switch url[..<colon.lowerBound].lowercased() {
        case "file": self = .directory
        case "http", "https": self = .server
        case "s3": self = .bucket
        default: return nil
        }
    }

    /// Whether devices sign in with an account; otherwise they keep credentials, or need none.
    package var hasAccounts: Bool { self == .server }
    /// Whether devices keep credentials not issued by the cloud.
    package var takesCredentials: Bool { self == .bucket }
    package var publishesLinks: Bool { self == .server }
}
