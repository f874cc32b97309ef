package import CloudModel
package import CloudProtocol
package import ServerStorage

/// Logs of a server for tests that care only about the numbers of entries.
extension LogStore {
    /// Appends whatever the log has.
    package func append(
        _ payload: [UInt8], key: AppendKey?, to name: ContainerName, of account: AccountID
    ) async throws -> LogSequence {
        try await append(payload, key: key, after: .start, to: name, of: account)
    }

    /// Reads from a number, whatever the entries before it are.
    package func page(
        of name: ContainerName, after sequence: LogSequence, limit: Int, account: AccountID
    ) async throws -> LogPage {
        try await page(of: name, after: LogPosition(sequence, nil), limit: limit, account: account)
    }
}
