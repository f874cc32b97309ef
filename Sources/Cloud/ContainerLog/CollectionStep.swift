import Basics
package import CloudModel

/// A step of a garbage collection. Devices sharing a cloud without a server collect through the log: docs/LOG.md,
/// "Collection".
package enum CollectionStep: Hashable, Sendable {
    /// Announces the collection of that epoch. From here on, devices that need a chunk with a listed key store it again
    /// under a new key. The list is a stored content in the cloud, like a file's.
    case proposed(epoch: UInt64, list: ContentReference)
    /// From here on, a batch that adds contents is refused unless its device knew of the proposal.
    case begun(epoch: UInt64)
    /// The collection has removed all its keys.
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

/// The progress of a collection. The numbers are part of the log's entries and of the stores.
package enum CollectionPhase: UInt8, Sendable {
    case proposed = 1
    case begun = 2
    case done = 3
}

/// A garbage collection as of the last folded entry.
package struct ProposedCollection: Hashable, Sendable {
    package let epoch: UInt64
    /// The keys that the collection may remove (`CollectionList` in CloudStorage). The list stays needed after the end
    /// of the collection, because a suspended collector may still be removing keys.
    package let list: ContentReference
    package var phase: CollectionPhase

    package init(epoch: UInt64, list: ContentReference, phase: CollectionPhase = .proposed) {
        self.epoch = epoch
        self.list = list
        self.phase = phase
    }
}

/// The newest collections of a log, as epochs; 0 if there is none.
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
