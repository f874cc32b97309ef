package import CloudModel
package import CloudStorage

/// Logs for tests interested only in entry numbers.
extension CloudBackend {
    /// Appends regardless of the log's content.
    package func append(_ payload: [UInt8], to container: ContainerName) async throws -> LogSequence {
        try await append(payload, to: container, after: .start)
    }

    /// Reads from a number, regardless of earlier entries.
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
