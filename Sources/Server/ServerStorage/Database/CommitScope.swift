/// The rows that a commit reads or changes. Commits whose scopes have nothing in common may run at the same time.
enum CommitScope: Hashable, Sendable {
    /// Rows of one account. It may also remove rows of any account that have expired.
    case account(Int64)
    /// One statement, or several that do not depend on each other.
    case statement
    /// Rows of any account.
    case all
}
