/// The place of a cloud in a bucket: `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`.
///
/// Without an endpoint the bucket is Amazon's. `addressing` is `path` (the bucket is the first part of the path) or
/// `virtual` (of the host name); by default Amazon's buckets use the latter and the rest the former, supported by all
/// non-Amazon stores. A remote endpoint without TLS is refused, unless `insecure=true` declares its network as trusted.
package struct S3Location: Hashable, Sendable, CustomStringConvertible {
    package enum Addressing: String, Sendable { case path, virtual }

    package static let scheme = "s3://"

    package let bucket: String
    /// Without a slash at either end; may be empty.
    package let prefix: String
    /// The origin of a non-Amazon store: scheme, host and port.
    package let endpoint: String?
    /// Nil: the region in the user's settings.
    package let region: String?
    package let addressing: Addressing?
    package let isInsecure: Bool

    package init(
        bucket: String, prefix: String = "", endpoint: String? = nil, region: String? = nil,
        addressing: Addressing? = nil, isInsecure: Bool = false
    ) throws(S3ConfigurationError) {
        try Self.check(bucket: bucket)
        try Self.check(prefix: prefix)
        if let region { try Self.check(region: region) }
        if let endpoint { try Self.check(endpoint: endpoint, isInsecure: isInsecure) }
        self.bucket = bucket
        self.prefix = prefix
        self.endpoint = endpoint
        self.region = region
        self.addressing = addressing
        self.isInsecure = isInsecure
    }

    package var description: String {
        let path = prefix.isEmpty ? "" : SigV4.encode(path: "/\(prefix)")
        let settings = [
            endpoint.map { "endpoint=\($0)" }, region.map { "region=\($0)" },
            addressing.map { "addressing=\($0.rawValue)" }, isInsecure ? "insecure=true" : nil,
        ].compactMap(\.self)
        return "\(Self.scheme)\(bucket)\(path)" + (settings.isEmpty ? "" : "?\(settings.joined(separator: "&"))")
    }

    /// Returns the target of requests for keys of the bucket, in `region`.
    package func target(in region: String) -> S3Target {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let origin = endpoint ?? "https://s3.\(region).\(domain)"
        // A certificate for *.s3.REGION.amazonaws.com is not valid for names with more dots.
        let standard: Addressing = endpoint == nil && !bucket.contains(".") ? .virtual : .path
        let (scheme, host) = Self.parts(of: origin) ?? ("https", "")
        return switch addressing ?? standard {
        case .path: S3Target(scheme: scheme, host: host, path: "/\(bucket)")
        case .virtual: S3Target(scheme: scheme, host: "\(bucket).\(host)", path: "")
        }
    }

    /// Returns the scheme, and the host with its port unless that is the scheme's default.
    private static func parts(of origin: String) -> (scheme: String, host: String)? {
        guard let match = origin.wholeMatch(of: /(https?):\/\/(.+)/) else { return nil }
        let (scheme, host) = (String(match.1), String(match.2))
        let port = scheme == "https" ? ":443" : ":80"
        return (scheme, host.hasSuffix(port) ? String(host.dropLast(port.count)) : host)
    }
}

/// The origin of requests, and the path before each key.
package struct S3Target: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host, as in the header `Host`.
    package let host: String
    /// The path of the bucket itself: empty if the host names it.
    package let path: String
}

// MARK: Rules

extension S3Location {
    /// Checks the naming rules for general purpose buckets (Amazon S3 User Guide), shared by other stores.
    private static func check(bucket: String) throws(S3ConfigurationError) {
        func fail(_ why: String) throws(S3ConfigurationError) -> Never {
            throw S3ConfigurationError("\(quoted(bucket)) is not the name of a bucket: \(why).")
        }
        guard (3...63).contains(bucket.utf8.count) else { try fail("it has 3 to 63 characters") }
        guard bucket.wholeMatch(of: /[a-z0-9.\-]+/) != nil else {
            try fail("it consists of lower-case letters, digits, dots and hyphens")
        }
        guard bucket.first != "-", bucket.last != "-", bucket.first != ".", bucket.last != "." else {
            try fail("it begins and ends with a letter or a digit")
        }
        guard !bucket.contains("..") else { try fail("it has no two dots in a row") }
        guard bucket.wholeMatch(of: /\d+\.\d+\.\d+\.\d+/) == nil else { try fail("it looks like an IP address") }
        let (starts, ends) = (
            ["xn--", "sthree-", "amzn-s3-demo-"], ["-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"]
        )
        guard !starts.contains(where: bucket.hasPrefix), !ends.contains(where: bucket.hasSuffix) else {
            try fail("Amazon has reserved how it begins or ends")
        }
    }

    /// Checks a prefix. Keys have at most 1,024 bytes; half of them are reserved for the part below the prefix.
    private static func check(prefix: String) throws(S3ConfigurationError) {
        let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
        let isClean = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }
        guard prefix.isEmpty || (prefix.utf8.count <= 512 && isClean) else {
            throw S3ConfigurationError(
                "\(quoted(prefix)) cannot be a prefix: use at most 512 bytes, without empty parts, `.` or `..` between slashes."
            )
        }
    }

    package static func check(region: String) throws(S3ConfigurationError) {
        guard region.utf8.count <= 64, region.wholeMatch(of: /[a-z0-9]([a-z0-9\-]*[a-z0-9])?/) != nil else {
            throw S3ConfigurationError("\(quoted(region)) is not a region; one is called like eu-central-1.")
        }
    }

    private static func check(endpoint: String, isInsecure: Bool) throws(S3ConfigurationError) {
        guard !endpoint.contains("@") else { throw Self.holdsCredentials }
        let pattern = /(https?):\/\/([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?/
        guard endpoint.utf8.count <= 300, let match = endpoint.wholeMatch(of: pattern),
            match.3.map({ (1...65_535).contains(Int($0) ?? 0) }) ?? true
        else {
            throw S3ConfigurationError(
                "\(quoted(endpoint)) is not an endpoint; one looks like https://s3.example.com or http://localhost:9000, with nothing after it."
            )
        }
        let host = String(match.2)
        let isLocal = host == "localhost" || host == "[::1]" || host.wholeMatch(of: /127\.\d+\.\d+\.\d+/) != nil
        guard match.1 == "https" || isLocal || isInsecure else {
            throw S3ConfigurationError(
                """
                \(endpoint) is not encrypted: anyone on the network could read and change everything. Use https, or add insecure=true \
                if you trust the network between.
                """)
        }
    }

    /// The text may be a secret and is not repeated in the message.
    static let holdsCredentials = S3ConfigurationError(
        "The address holds credentials. Take them out, replace them if others could see them, and use the environment or a profile."
    )

    /// Returns a user's text for a message, replacing control characters, which could control a terminal.
    static func quoted(_ text: String) -> String {
        let visible = text.unicodeScalars.prefix(200).map {
            $0.properties.generalCategory == .control ? "?" : Character($0)
        }
        return "“\(String(visible))”"
    }
}
