package import CloudModel

/// A stored log entry.
package struct LogRecord: Hashable, Sendable {
    package let position: LogPosition
    package let payload: [UInt8]

    package init(_ position: LogPosition, _ payload: [UInt8]) {
        self.position = position
        self.payload = payload
    }

    package var sequence: LogSequence { position.sequence }
}
