import Basics
package import CloudModel

/// One step of a collection of garbage. Devices that share a cloud without a server collect through the log: docs/LOG.md, "Collection".
package enum CollectionStep: Hashable, Sendable {
    /// Announces the collection of that epoch. From here on, devices that need a chunk with a key of the list store the chunk again, under
    /// a new key. The list is a stored content in the cloud, like a file's.
    case proposed(epoch: UInt64, list: ContentReference)
    /// From here on, a batch that brings contents is refused unless its device knew of the proposal.
    case begun(epoch: UInt64)
    /// All keys were removed that the collection removes.
    case done(epoch: UInt64)

    package var epoch: UInt64 {
        switch self {
        case .proposed(let epoch, _), .begun(let epoch), .done(let epoch): epoch
        }
    }

    package var phase: CollectionPhase {
        switch self {
        case .proposed: .proposed
        case .begun: .begun
        case .done: .done
        }
    }
}

/// How far a collection has come. The numbers are those of the log's entries and of the stores.
package enum CollectionPhase: UInt8, Sendable {
    case proposed = 1
    case begun = 2
    case done = 3
}

/// A collection of garbage as of the last folded entry.
package struct ProposedCollection: Hashable, Sendable {
    package let epoch: UInt64
    /// The keys that the collection may remove (`CollectionList` in CloudStorage). The list stays needed after the end of the collection,
    /// because a collector that was suspended may still be removing keys.
    package let list: ContentReference
    package var phase: CollectionPhase

    package init(epoch: UInt64, list: ContentReference, phase: CollectionPhase = .proposed) {
        self.epoch = epoch
        self.list = list
        self.phase = phase
    }
}

/// The newest collections of a log, by their epochs; 0 where there is none.
package struct CollectionEpochs: Hashable, Sendable {
    package var proposed: UInt64
    package var begun: UInt64

    package init(proposed: UInt64 = 0, begun: UInt64 = 0) {
        self.proposed = proposed
        self.begun = begun
    }
}

// MARK: Encoding

extension ByteWriter {
    mutating func append(_ step: CollectionStep) {
        append(byte: step.phase.rawValue)
        append(varint: step.epoch)
        if case .proposed(_, let list) = step { append(FileContent.stored(list)) }
    }
}

extension ByteReader {
    mutating func collectionStep() throws(ByteCodingError) -> CollectionStep {
        let byte = try byte()
        guard let phase = CollectionPhase(rawValue: byte) else { throw .invalid("an unknown phase \(byte)") }
        let epoch = try varint()
        switch phase {
        case .begun: return .begun(epoch: epoch)
        case .done: return .done(epoch: epoch)
        case .proposed:
            guard case .stored(let list) = try content() else { throw .invalid("a list that is not stored") }
            return .proposed(epoch: epoch, list: list)
        }
    }
}
