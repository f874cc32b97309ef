/// Which server a database is of: its accounts, by the names of their clouds now and before.
struct BackupOrigin: Sendable {
    /// As of ``AccountStore/identities(hasFormer:_:)``.
    let identities: [String: Set<String>]

    var isEmpty: Bool { identities.isEmpty }

    /// A few names of accounts, for a message.
    var listed: String { identities.keys.sorted().prefix(5).joined(separator: ", ") }

    /// Whether an account of both is the same one: by its cloud, or by its name where no device has used it.
    func sharesAccount(with other: BackupOrigin) -> Bool {
        let own = identities.values.reduce(into: Set()) { $0.formUnion($1) }
        let others = other.identities.values.reduce(into: Set()) { $0.formUnion($1) }
        if !own.isDisjoint(with: others) { return true }
        return identities.contains { $0.value.isEmpty && other.identities[$0.key] != nil }
    }
}
