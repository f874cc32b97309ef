import Basics

extension S3Location {
    /// Parses `s3://BUCKET/PREFIX?NAME=VALUE&…`.
    ///
    /// - Throws: The error in the text, and a correct example.
    package init(parsing text: String) throws(S3ConfigurationError) {
        guard text.hasPrefix(Self.scheme) else {
            throw S3ConfigurationError("\(Self.quoted(text)) does not begin with \(Self.scheme).")
        }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts.first ?? ""
        guard !place.contains("@") else { throw Self.holdsCredentials }
        guard !place.contains("#") else { throw S3ConfigurationError("Write # in a prefix as %23.") }
        let slash = place.firstIndex(of: "/") ?? place.endIndex
        let settings = try S3Settings(parsing: parts.count > 1 ? parts[1] : "")
        try self.init(
            bucket: String(place[..<slash]), prefix: try Self.prefix(place[slash...]), endpoint: settings.endpoint,
            region: settings.region, addressing: settings.addressing, isInsecure: settings.isInsecure)
    }

    /// Returns the prefix. It may end with a single slash, as is usual for folders.
    private static func prefix(_ path: Substring) throws(S3ConfigurationError) -> String {
        var path = path.dropFirst()
        if path.hasSuffix("/") { path = path.dropLast() }
        guard let bytes = PercentCoding.decode(path.utf8), let text = String(validating: bytes, as: UTF8.self) else {
            throw S3ConfigurationError(
                "\(quoted(String(path))) cannot be a prefix: write a % in it as %25, and use UTF-8.")
        }
        return text
    }
}

/// The settings after the `?` of an address.
private struct S3Settings {
    var endpoint: String?
    var region: String?
    var addressing: S3Location.Addressing?
    var isInsecure = false

    init(parsing query: Substring) throws(S3ConfigurationError) {
        var seen: Set<String> = []
        for field in query.split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard seen.insert(name).inserted else {
                throw S3ConfigurationError("\(S3Location.quoted(name)) appears twice in the address.")
            }
            guard pair.count == 2, let bytes = PercentCoding.decode(pair[1].utf8),
                let value = String(validating: bytes, as: UTF8.self)
            else { throw S3ConfigurationError("\(S3Location.quoted(name)) has no value in the address.") }
            try set(name, value)
        }
    }

    private mutating func set(_ name: String, _ value: String) throws(S3ConfigurationError) {
        switch name {
        // Browsers add a slash at the end.
        case "endpoint": endpoint = value.hasSuffix("/") ? String(value.dropLast()) : value
        case "region": region = value
        case "addressing":
            guard let style = S3Location.Addressing(rawValue: value) else {
                throw S3ConfigurationError("addressing is path or virtual, not \(S3Location.quoted(value)).")
            }
            addressing = style
        case "insecure":
            guard value == "true" || value == "false" else {
                throw S3ConfigurationError("insecure is true or false, not \(S3Location.quoted(value)).")
            }
            isInsecure = value == "true"
        default:
            throw S3ConfigurationError(
                "\(S3Location.quoted(name)) is not a setting of an s3:// address; the settings are endpoint, region, addressing and insecure."
            )
        }
    }
}
