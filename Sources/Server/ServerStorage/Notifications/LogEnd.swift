import CloudModel

/// How long a log is: what processes notify each other of after a commit.
struct LogEnd: Hashable, Sendable {
    let account: AccountID
    let container: ContainerName
    let sequence: UInt64
}
