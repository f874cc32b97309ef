import CloudProtocol
import Foundation

/// The entries of a page: as many consecutive entries as fit.
struct PagePayloads: Sendable {
    private(set) var payloads: [[UInt8]] = []
    /// The position of the last entry, or of the entry before the page.
    private(set) var end: UInt64
    private var bytes = 0

    init(after position: UInt64) { end = position }

    /// Adds an entry unless a preceding entry is missing, or the page is full.
    ///
    /// - Returns: Whether it was added. Then the next entry may belong to the page, too.
    mutating func add(_ payload: Data, at sequence: UInt64) -> Bool {
        let (next, overflow) = end.addingReportingOverflow(1)
        guard !overflow, sequence == next else { return false }
        // An entry longer than a page forms a page alone.
        guard payloads.isEmpty || bytes + payload.count <= CloudLimits.pageBytes else { return false }
        bytes += payload.count
        payloads.append(Array(payload))
        end = next
        return true
    }
}
