package import CloudModel
package import CloudProtocol
package import ServerStorage

/// Server logs for tests interested only in entry numbers.
extension LogStore {
    /// Appends regardless of the log's content.
    package func append(
        _ payload: [UInt8], key: AppendKey?, to name: ContainerName, of account: AccountID
    ) async throws -> LogSequence {
        try await append(payload, key: key, after: .start, to: name, of: account)
    }

    /// Reads from a number, regardless of earlier entries.
    package func page(
        of name: ContainerName, after sequence: LogSequence, limit: Int, account: AccountID
    ) async throws -> LogPage {
        try await page(of: name, after: LogPosition(sequence, nil), limit: limit, account: account)
    }
}
