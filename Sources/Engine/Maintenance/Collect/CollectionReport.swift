package import Basics
package import CloudModel

/// The result of one run of a collector on one container.
package struct CollectionReport: Hashable, Sendable {
    package let container: ContainerName
    /// What the cloud stored when it was listed, after the removals of this run.
    package internal(set) var tally = CollectionTally()
    package internal(set) var removedChunks: UInt64 = 0
    package internal(set) var removedBytes: UInt64 = 0
    /// When this device first saw the oldest proposal that still rests; nil where none does.
    package internal(set) var proposedSince: Timestamp?
    /// Whether this run made that proposal.
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
        /// It is not known which chunks are needed.
        case unreadable
        /// The log did not take a step of the collection in time.
        case busy
    }

    package let code: Code
    /// What happened and what to do, whole sentences.
    package let message: String

    package var description: String { message }
}
