/// Collects garbage in a cloud whose chunks devices collect: removes chunks not needed by any document, conflict or
/// kept version.
package struct CollectRequest: DaemonCall {
    package typealias Response = CollectResponse
    package static let verb = "collect"

    /// Whether to report the garbage only.
    package let dryRun: Bool
    package init(dryRun: Bool = false) { self.dryRun = dryRun }
}

package struct CollectResponse: CallResponse {
    package static let kind = "collected"

    package let containers: [CollectedContainer]
    package init(containers: [CollectedContainer]) { self.containers = containers }
}

/// The state of a container's collection after a request. Bytes are the space taken by chunks in the cloud.
package struct CollectedContainer: Codable, Hashable, Sendable {
    package let container: String
    package let storedChunks: UInt64
    package let storedBytes: UInt64
    package let garbageChunks: UInt64
    package let garbageBytes: UInt64
    /// The chunks removed by this request, and their bytes.
    package let removedChunks: UInt64
    package let removedBytes: UInt64
    /// When this device first saw the proposal whose garbage is removed a day later; nil if there is none.
    package let proposedSince: WireTime?
    /// The reason why the container was not collected.
    package let failure: DaemonFailure?

    package init(
        container: String, storedChunks: UInt64 = 0, storedBytes: UInt64 = 0, garbageChunks: UInt64 = 0,
        garbageBytes: UInt64 = 0, removedChunks: UInt64 = 0, removedBytes: UInt64 = 0, proposedSince: WireTime? = nil,
        failure: DaemonFailure? = nil
    ) {
        self.container = container
        self.storedChunks = storedChunks
        self.storedBytes = storedBytes
        self.garbageChunks = garbageChunks
        self.garbageBytes = garbageBytes
        self.removedChunks = removedChunks
        self.removedBytes = removedBytes
        self.proposedSince = proposedSince
        self.failure = failure
    }
}

/// The progress of a collection.
package struct CollectionStatus: Codable, Hashable, Sendable {
    package let container: String
    /// The current stage: `following`, `reading`, `listing`, `proposing` or `removing`.
    package let stage: String
    /// Contents read, or chunks listed, in this stage so far.
    package let done: UInt64

    package init(container: String, stage: String, done: UInt64) {
        self.container = container
        self.stage = stage
        self.done = done
    }
}
