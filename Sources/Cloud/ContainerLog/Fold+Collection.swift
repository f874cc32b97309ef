/// The rules of collections: docs/LOG.md.
extension Fold {
    /// Folds a collection step; a step out of sequence is void. Several collections may be open at once.
    mutating func collect(_ step: CollectionStep) throws {
        switch step {
        case .proposed(let epoch, let list):
            // Only the next number: a bogus number cannot use up all of them, and of two devices proposing the same
            // epoch the later notices.
            guard try epoch == store.collectionEpochs().proposed &+ 1 else { return }
            try store.setCollection(ProposedCollection(epoch: epoch, list: list))
        case .begun(let epoch): try advance(epoch, from: .proposed, to: .begun)
        case .done(let epoch): try advance(epoch, from: .begun, to: .done)
        }
    }

    private mutating func advance(_ epoch: UInt64, from: CollectionPhase, to next: CollectionPhase) throws {
        guard var collection = try store.collection(epoch), collection.phase == from else { return }
        collection.phase = next
        try store.setCollection(collection)
    }
}
