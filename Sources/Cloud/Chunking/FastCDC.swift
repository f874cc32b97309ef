/// Finds cuts depending only on content, so that an insertion moves them with the bytes (FastCDC, Xia et al., USENIX
/// ATC 2016).
///
/// A gear hash rolls over the bytes after the minimum; a chunk ends at the first hash with zero top bits, at the latest
/// at the maximum.
package struct FastCDC: Sendable {
    package let parameters: ChunkingParameters

    package init(_ parameters: ChunkingParameters = .version1) { self.parameters = parameters }

    /// Returns the length of the first chunk of `bytes`, which must hold ``ChunkingParameters/maximum`` bytes or the
    /// rest of the content.
    package func firstCut(in bytes: UnsafeRawBufferPointer) -> Int {
        let end = min(bytes.count, parameters.maximum)
        guard end > parameters.minimum, let base = bytes.baseAddress else { return end }
        let middle = min(end, parameters.average)
        return GearTable.values.withUnsafeBufferPointer { table in
            guard let gear = table.baseAddress else { return end }
            var hash: UInt64 = 0
            let early = Self.scan(base, parameters.minimum..<middle, parameters.strictMask, gear, &hash)
            return early ?? Self.scan(base, middle..<end, parameters.looseMask, gear, &hash) ?? end
        }
    }

    /// Returns the position after the first byte with a zero masked hash. Wrapping arithmetic drops the hash's top bit
    /// with each byte.
    @inline(__always)
    private static func scan(
        _ base: UnsafeRawPointer, _ range: Range<Int>, _ mask: UInt64, _ gear: UnsafePointer<UInt64>,
        _ hash: inout UInt64
    ) -> Int? {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        var rolling = hash
        var position = range.lowerBound
        while position < range.upperBound {
            rolling = (rolling &<< 1) &+ gear[Int(bytes[position])]
            position &+= 1
            if rolling & mask == 0 { return position }
        }
        hash = rolling
        return nil
    }
}
