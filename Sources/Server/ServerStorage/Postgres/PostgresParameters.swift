/// The parameters of a statement in PostgreSQL's binary format, in one buffer.
struct PostgresParameters {
    private var bytes: [UInt8] = []
    /// The place of each parameter in the buffer; nil for null.
    private var places: [Range<Int>?] = []

    init(_ values: [StorageValue]) {
        places.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                places.append(nil)
                continue
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .bytes(let data): bytes.append(contentsOf: data)
            }
            places.append(start..<bytes.count)
        }
        // So that the buffer has an address even if all values are empty.
        bytes.append(0)
    }

    var count: Int { bytes.count }

    /// Calls `body` with the arguments of PQsendQueryPrepared(3).
    func withPointers<T>(
        _ body: ([UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) throws -> T
    ) rethrows -> T {
        try bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return try body(
                places.map { place in place.flatMap { range in base.map { $0 + range.lowerBound } } },
                places.map { Int32(clamping: $0?.count ?? 0) }, places.map { _ in 1 })
        }
    }
}

extension StorageType {
    /// The type's number in `pg_type`. It never changes.
    var postgresType: UInt32 {
        switch self {
        case .integer: 20
        case .text: 25
        case .bytes: 17
        // None: the server infers it.
        case .column: 0
        }
    }
}
