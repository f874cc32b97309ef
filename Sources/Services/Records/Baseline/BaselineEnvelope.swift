import Basics

/// The header of a baseline's files: their kind, the format, and a checksum of the rest.
enum BaselineEnvelope: UInt32 {
    /// "UbiB"
    case head = 0x4269_6255
    /// "UbiP"
    case part = 0x5069_6255

    static let format: UInt8 = 1
    private static let headerBytes = 9

    func encoded(_ payload: [UInt8]) throws(RecordFileError) -> [UInt8] {
        guard payload.count <= RecordBaseline.maximumFileBytes - Self.headerBytes else {
            let (size, limit) = (ByteCount(UInt64(payload.count)), ByteCount(UInt64(RecordBaseline.maximumFileBytes)))
            throw .tooLarge("a row has \(size) with all that it keeps, and a file of a baseline holds \(limit)")
        }
        var file = ByteWriter(reservingCapacity: payload.count + Self.headerBytes)
        file.append(fixed: rawValue)
        file.append(byte: Self.format)
        file.append(fixed: CRC32C.checksum(payload))
        file.append(raw: payload)
        return file.bytes
    }

    /// Checks a file, and returns the bytes after the header. A newer format is recognised before anything else is
    /// read.
    func payload(of file: [UInt8]) throws(RecordFileError) -> ArraySlice<UInt8> {
        guard file.count <= RecordBaseline.maximumFileBytes else { throw .damaged("\(file.count) bytes, too many") }
        guard file.count >= Self.headerBytes else { throw .damaged("it ends too early") }
        let magic = (0..<4).reduce(UInt32(0)) { $0 | UInt32(file[$1]) << UInt32($1 * 8) }
        guard magic == rawValue else { throw .damaged("another kind of file") }
        guard file[4] <= Self.format else { throw .tooNew(format: file[4], known: Self.format) }
        guard file[4] == Self.format else { throw .damaged("an invalid format \(file[4])") }
        let checksum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(file[5 + $1]) << UInt32($1 * 8) }
        let payload = file[Self.headerBytes...]
        guard CRC32C.checksum(Array(payload)) == checksum else {
            throw .damaged("its bytes differ from their checksum")
        }
        return payload
    }
}
