/// An access key and its secret. No description, mirror or error shows any of it.
package struct S3Credentials: Hashable, Sendable {
    package let accessKey: String
    let secretKey: String
    /// Sent with each request signed with temporary credentials; nil for permanent ones.
    let sessionToken: String?

    /// The longest accepted value, in bytes. Session tokens have about 2,000.
    private static let longest = 16_384

    /// - Returns: Nil if a value is empty, or contains bytes forbidden in a header: spaces, control characters,
    ///   anything but ASCII.
    package init?(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        let isUsable = [accessKey, secretKey, sessionToken].compactMap(\.self).allSatisfy { value in
            !value.isEmpty && value.utf8.count <= Self.longest && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        // A comma or a slash would end the key's field in its header.
        guard isUsable, !accessKey.contains(where: { $0 == "," || $0 == "/" }) else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "S3Credentials(…)" }
    package var debugDescription: String { description }
    /// Without children, so that `dump` and test failures show nothing either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
