/// The number of events worth simulating, to notice a simulation that does nothing.
package struct CollectionFigures: Sendable {
    package var histories = 0
    package var steps = 0
    package var acceptedBatches = 0
    package var refusedBatches = 0
    package var removedKeys = 0
    package var doneCollections = 0
    /// Uploads of contents whose chunks were gone everywhere.
    package var withdrawnBatches = 0

    package mutating func add(_ other: CollectionFigures) {
        histories += other.histories
        steps += other.steps
        acceptedBatches += other.acceptedBatches
        refusedBatches += other.refusedBatches
        removedKeys += other.removedKeys
        doneCollections += other.doneCollections
        withdrawnBatches += other.withdrawnBatches
    }

    package var text: String {
        "\(histories) histories, \(steps) steps, \(acceptedBatches) batches accepted, \(refusedBatches) refused, "
            + "\(withdrawnBatches) withdrawn, \(removedKeys) keys removed, \(doneCollections) collections done"
    }
}
