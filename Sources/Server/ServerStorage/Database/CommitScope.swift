/// The rows that a commit reads or changes. Commits with disjoint scopes may run at the same time.
enum CommitScope: Hashable, Sendable {
    /// Rows of a single account. It may also remove expired rows of any account.
    case account(Int64)
    /// One statement, or several independent statements.
    case statement
    /// Rows of any account.
    case all
}
