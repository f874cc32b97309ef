import Basics

/// The address of a cloud, as passed to `--cloud`.
package enum CloudAddress: Hashable, Sendable, CustomStringConvertible {
    /// An absolute path of a folder, on this machine or on a mounted file system.
    case directory(path: String)
    /// The URL of a `ubiquity-server`.
    case http(url: String)
    /// The address of a prefix in a bucket of an object store.
    case s3(url: String)

    /// Reads `file:///dir`, a path, `http(s)://host` or `s3://bucket/prefix?…`. A relative path starts at `currentDirectory`.
    package init(_ text: String, currentDirectory: String) throws(DaemonFailure) {
        guard !text.utf8.contains(0) else { throw Self.invalid(text, "it has a NUL in it") }
        guard let colon = text.firstRange(of: "://") else {
            self = .directory(path: try Self.path(text, currentDirectory))
            return
        }
        let rest = String(text[colon.upperBound...])
        let namesPlace = !rest.isEmpty && !isAbsolute(rest)
        switch CloudKind(of: text) {
        case .directory: self = .directory(path: try Self.path(ofFileURL: rest, text))
        case .server where namesPlace: self = .http(url: text)
        case .server: throw Self.invalid(text, "it names no host")
        case .bucket where namesPlace: self = .s3(url: text)
        case .bucket: throw Self.invalid(text, "it names no bucket")
        case nil:
            let scheme = text[..<colon.lowerBound].lowercased()
            throw Self.invalid(text, "clouds of the kind \"\(scheme)\" are not supported")
        }
    }

    /// Rejects a word without a slash, more likely a typo than a folder's name.
    private static func path(_ text: String, _ currentDirectory: String) throws(DaemonFailure) -> String {
        guard text.utf8.contains(UInt8(ascii: "/")) else { throw invalid(text, "it is neither a URL nor a path") }
        return isAbsolute(text) ? text : "\(currentDirectory)/\(text)"
    }

    /// RFC 8089: the host is empty or `localhost`, the path absolute and percent-encoded.
    private static func path(ofFileURL rest: String, _ text: String) throws(DaemonFailure) -> String {
        let path = rest.utf8.starts(with: "localhost/".utf8) ? String(rest.dropFirst("localhost".count)) : rest
        guard isAbsolute(path) else { throw invalid(text, "a file URL has three slashes before its path") }
        guard let decoded = percentDecoded(path), !decoded.utf8.contains(0) else {
            throw invalid(text, "its %-escapes are broken")
        }
        return decoded
    }

    /// Returns the address of a server for one of several accounts; nil if the address is no server's, or has an
    /// account.
    package static func server(_ url: String, account: String) -> String? {
        guard CloudKind(of: url)?.hasAccounts ?? false, let start = url.firstRange(of: "://")?.upperBound,
            !url[start...].prefix(while: { $0 != "/" }).contains("@")
        else { return nil }
        return "\(url[..<start])\(userField(account))@\(url[start...])"
    }

    /// Returns an account in the form used before the `@` of an address: letters, digits and `-._~` as they are (RFC
    /// 3986, 2.3).
    private static func userField(_ account: String) -> String {
        PercentCoding.encode(account.utf8) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~".utf8.contains(byte)
            }
        }
    }

    private static func invalid(_ text: String, _ why: String) -> DaemonFailure {
        DaemonFailure(
            .invalidRequest, "not a valid cloud address, \(why)", path: text,
            advice: "Use \(CloudKind.forms).")
    }

    package var kind: CloudKind {
        switch self {
        case .directory: .directory
        case .http: .server
        case .s3: .bucket
        }
    }

    /// The address as a URL.
    package var description: String {
        switch self {
        case .directory(let path): "file://\(percentEncoded(path))"
        case .http(let url), .s3(let url): url
        }
    }
}

/// Compares the first byte: to Swift, a slash and a combining mark after it form a single character, not a slash.
private func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

/// Keeps the characters allowed in a path of a URL (RFC 3986, 3.3) and escapes the rest like `%41`.
private func percentEncoded(_ path: String) -> String {
    PercentCoding.encode(path.utf8) { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
    }
}

/// Decodes escapes like `%41` (RFC 3986, 2.1); nil when an escape is broken or the result is not UTF-8.
private func percentDecoded(_ text: String) -> String? {
    PercentCoding.decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
}
