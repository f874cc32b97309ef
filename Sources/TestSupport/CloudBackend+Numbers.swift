package import CloudModel
package import CloudStorage

/// Logs for tests that care only about the numbers of entries.
extension CloudBackend {
    /// Appends whatever the log has.
    package func append(_ payload: [UInt8], to container: ContainerName) async throws -> LogSequence {
        try await append(payload, to: container, after: .start)
    }

    /// Reads from a number, whatever the entries before it are.
    package func entries(
        in container: ContainerName, after sequence: LogSequence, limit: Int
    ) async throws -> [LogRecord] {
        try await entries(
            in: container, after: sequence == .zero ? .start : LogPosition(sequence, nil), limit: limit)
    }
}

extension LogRecord {
    package init(sequence: LogSequence, payload: [UInt8]) { self.init(LogPosition(sequence, nil), payload) }
}
