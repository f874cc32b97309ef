/// Possible mistakes of a garbage collection, built into the world around the real rules. A campaign that does not find
/// each of them proves nothing.
package enum CollectionMistake: String, CaseIterable, Sendable {
    /// A collection begins, and batches unaware of it are accepted.
    case begunDoesNotRefuse
    /// Chunks are put under keys of epoch 0, as before the first collection.
    case putsUnderOldKeys
    /// A device relies on keys listed by a collection.
    case ignoresLists
    /// A collector removes all keys of its list, including those of chunks needed in the meantime.
    case removesNeeded
    /// A collector removes a chunk's key of the collection's own epoch too.
    case removesOwnEpoch
    /// A device relies on keys in a finished collection's list.
    case forgetsDoneLists
    /// A batch names the newest epoch at the time of its append, although its chunks were not verified under it.
    case namesUnverifiedEpoch

    package var summary: String {
        switch self {
        case .begunDoesNotRefuse: "a begun collection refuses nothing"
        case .putsUnderOldKeys: "chunks are put under old keys"
        case .ignoresLists: "lists are not consulted"
        case .removesNeeded: "what came to be needed is removed"
        case .removesOwnEpoch: "keys of the collection's own epoch are removed"
        case .forgetsDoneLists: "lists of finished collections are forgotten"
        case .namesUnverifiedEpoch: "a batch names an epoch that it was not verified under"
        }
    }
}
