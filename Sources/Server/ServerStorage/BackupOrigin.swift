/// Identifies the server that a database belongs to: its accounts, by the present and former identities of their clouds.
struct BackupOrigin: Sendable {
    /// The identities as returned by ``AccountStore/identities(hasFormer:hasCopies:_:)``.
    let identities: [String: Set<String>]

    var isEmpty: Bool { identities.isEmpty }

    /// A few names of accounts, for a message.
    var listed: String { identities.keys.sorted().prefix(5).joined(separator: ", ") }

    /// Whether the two have an account in common: by its cloud, or by its name if no device has used it.
    func sharesAccount(with other: BackupOrigin) -> Bool {
        let own = identities.values.reduce(into: Set()) { $0.formUnion($1) }
        let others = other.identities.values.reduce(into: Set()) { $0.formUnion($1) }
        if !own.isDisjoint(with: others) { return true }
        return identities.contains { $0.value.isEmpty && other.identities[$0.key] != nil }
    }
}
