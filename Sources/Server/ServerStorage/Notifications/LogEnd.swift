import CloudModel

/// The length of a log. Processes notify each other of it after a commit.
struct LogEnd: Hashable, Sendable {
    let account: AccountID
    let container: ContainerName
    let sequence: UInt64
}
