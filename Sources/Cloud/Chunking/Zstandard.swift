import CZstd

/// The two libzstd calls needed for chunks.
enum Zstandard {
    /// Returns `header` followed by the compressed bytes, or nil if the payload would be longer than `limit`.
    static func compress(_ plain: UnsafeRawBufferPointer, level: Int32, header: [UInt8], limit: Int) -> [UInt8]? {
        let capacity = header.count + limit
        var size: Int?
        let result = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.copyBytes(from: header)
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[header.count...])
            // The only failure of a one-shot compression of valid memory is a full destination (zstd.h): compression saved too little.
            let written = ZSTD_compress(room.baseAddress, room.count, plain.baseAddress, plain.count, level)
            size = ZSTD_isError(written) == 0 ? written : nil
            count = size.map { header.count + $0 } ?? 0
        }
        return size == nil ? nil : result
    }

    /// Returns the payload's plain bytes, exactly `length` of them.
    static func decompress(_ payload: UnsafeRawBufferPointer, length: Int) throws(ChunkError) -> [UInt8] {
        var outcome = 0
        let plain = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            outcome = ZSTD_decompress(buffer.baseAddress, length, payload.baseAddress, payload.count)
            count = ZSTD_isError(outcome) == 0 ? outcome : 0
        }
        guard ZSTD_isError(outcome) == 0 else { throw error(outcome) }
        guard outcome == length else {
            throw ChunkError(.damaged, "A chunk decompresses to \(outcome) bytes instead of \(length).")
        }
        return plain
    }

    private static func error(_ outcome: Int) -> ChunkError {
        let text = String(cString: ZSTD_getErrorName(outcome))
        let cutShort = ZSTD_getErrorCode(outcome) == ZSTD_error_srcSize_wrong
        return ChunkError(cutShort ? .truncated : .damaged, "A chunk cannot be decompressed: \(text).")
    }
}
