/// Identifies the server of a database: its accounts, by the identities of their clouds.
struct BackupOrigin: Sendable {
    /// The identities as returned by ``AccountStore/identities(_:)``.
    let identities: [String: String?]

    var isEmpty: Bool { identities.isEmpty }

    /// A few names of accounts, for a message.
    var listed: String { identities.keys.sorted().prefix(5).joined(separator: ", ") }

    /// Whether the two share an account: by its cloud, or by its name if no device has used it.
    func sharesAccount(with other: BackupOrigin) -> Bool {
        let others = Set(other.identities.values.compactMap(\.self))
        return identities.contains { name, identity in
            identity.map(others.contains) ?? (other.identities[name] != nil)
        }
    }
}
