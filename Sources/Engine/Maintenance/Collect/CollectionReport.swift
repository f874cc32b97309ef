package import Basics
package import CloudModel

/// The result of a collector's run on a container.
package struct CollectionReport: Hashable, Sendable {
    package let container: ContainerName
    /// The cloud's contents when listed, less the removals of this run.
    package internal(set) var tally = CollectionTally()
    package internal(set) var removedChunks: UInt64 = 0
    package internal(set) var removedBytes: UInt64 = 0
    /// When this device first saw the oldest resting proposal; nil if there is none.
    package internal(set) var proposedSince: Timestamp?
    /// Whether this run proposed it.
    package internal(set) var hasProposed = false

    init(_ container: ContainerName) { self.container = container }
}

/// How far a run has progressed.
package struct CollectionProgress: Hashable, Sendable {
    package enum Stage: String, Hashable, Sendable { case following, reading, listing, proposing, removing }

    package let container: ContainerName
    package let stage: Stage
    /// Contents read, or chunks listed, so far.
    package let done: UInt64
}

/// Why a container was not collected, apart from errors of the cloud and the database.
package struct CollectionError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The needed chunks are unknown.
        case unreadable
        /// The log did not take a step of the collection in time.
        case busy
    }

    package let code: Code
    /// The error and the advice, in whole sentences.
    package let message: String

    package var description: String { message }
}
