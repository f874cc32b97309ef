package import CloudModel
import Synchronization
import TestSupport

/// Creates item ids, the same in each run of a seed.
package final class SeededIDs: Sendable {
    private let generator: Mutex<SeededGenerator>

    package init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    package func next() -> ItemID { generator.withLock { ItemID.random(using: &$0) } }
}
