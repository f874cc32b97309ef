package import Basics

extension ClientEnvelope {
    /// Reads the payload of a binary frame.
    package init(binary payload: [UInt8]) throws(ByteCodingError) {
        var reader = ByteReader(payload)
        let kind = try reader.kind()
        let id = try reader.varint()
        switch kind {
        case .claim: self.init(id: id, try AccessRequest(&reader))
        case .finish:
            self.init(id: id, FinishRequest(claim: try reader.varint(), isQuiet: try reader.flag()))
        case .granted, .done: throw .invalid("a response in place of a request")
        }
        try reader.expectEnd()
    }

    /// Returns the payload of a binary frame; nil for a request without a binary form.
    package var binary: [UInt8]? {
        var writer: ByteWriter
        if let claim = request.call as? AccessRequest {
            writer = ByteWriter(.claim, id: id)
            claim.write(to: &writer)
        } else {
            guard let finish = request.call as? FinishRequest else { return nil }
            writer = ByteWriter(.finish, id: id)
            writer.append(varint: finish.claim)
            writer.append(flag: finish.isQuiet)
        }
        return writer.bytes
    }
}

extension AccessRequest {
    /// The optional fields of a binary claim; their order in the frame is that of the bits.
    private struct Fields: OptionSet {
        let rawValue: UInt8

        static let purpose = Fields(rawValue: 1 << 0)
        static let timeout = Fields(rawValue: 1 << 1)
        static let within = Fields(rawValue: 1 << 2)
        static let withinPresenter = Fields(rawValue: 1 << 3)
        static let presenter = Fields(rawValue: 1 << 4)
        static let all: Fields = [.purpose, .timeout, .within, .withinPresenter, .presenter]
    }

    fileprivate init(_ reader: inout ByteReader) throws(ByteCodingError) {
        let fields = Fields(rawValue: try reader.byte())
        guard fields.isSubset(of: .all) else { throw .invalid("unknown fields of a claim") }
        let purpose = fields.contains(.purpose) ? try reader.string() : nil
        let timeout = fields.contains(.timeout) ? try Self.timeout(&reader) : nil
        let within = fields.contains(.within) ? try reader.varint() : nil
        let withinPresenter = fields.contains(.withinPresenter) ? try reader.varint() : nil
        let presenter = fields.contains(.presenter) ? try reader.varint() : nil
        let count = try reader.count(minimumBytes: WantedAccess.minimumBytes)
        var accesses: [WantedAccess] = []
        accesses.reserveCapacity(count)
        for _ in 0..<count { accesses.append(try WantedAccess(&reader)) }
        self.init(
            accesses: accesses, purpose: purpose, timeout: timeout, within: within, withinPresenter: withinPresenter,
            presenter: presenter)
    }

    private static func timeout(_ reader: inout ByteReader) throws(ByteCodingError) -> Double {
        let seconds = Double(bitPattern: try reader.fixed())
        // JSON has no other numbers either.
        guard seconds.isFinite else { throw .invalid("a timeout that is not a number") }
        return seconds
    }

    fileprivate func write(to writer: inout ByteWriter) {
        var fields: Fields = []
        if purpose != nil { fields.insert(.purpose) }
        if timeout != nil { fields.insert(.timeout) }
        if within != nil { fields.insert(.within) }
        if withinPresenter != nil { fields.insert(.withinPresenter) }
        if presenter != nil { fields.insert(.presenter) }
        writer.append(byte: fields.rawValue)
        if let purpose { writer.append(string: purpose) }
        if let timeout { writer.append(fixed: timeout.bitPattern) }
        if let within { writer.append(varint: within) }
        if let withinPresenter { writer.append(varint: withinPresenter) }
        if let presenter { writer.append(varint: presenter) }
        writer.append(varint: UInt64(accesses.count))
        for access in accesses { access.write(to: &writer) }
    }
}

extension WantedAccess {
    /// A mode, no options, and the path of the root.
    fileprivate static let minimumBytes = 3

    fileprivate init(_ reader: inout ByteReader) throws(ByteCodingError) {
        let byte = try reader.byte()
        guard let mode = AccessMode(code: byte) else { throw .invalid("the unknown mode \(byte)") }
        let count = try reader.count()
        var options: [AccessOption] = []
        for _ in 0..<count {
            let byte = try reader.byte()
            guard let option = AccessOption(code: byte) else { throw .invalid("the unknown option \(byte)") }
            options.append(option)
        }
        self.init(path: try reader.path(), mode: mode, options: options)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(byte: mode.code)
        writer.append(varint: UInt64(options.count))
        for option in options { writer.append(byte: option.code) }
        writer.append(path: path)
    }
}

extension AccessMode {
    fileprivate var code: UInt8 { self == .read ? 0 : 1 }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0: self = .read
        case 1: self = .write
        default: return nil
        }
    }
}

extension AccessOption {
    /// The position in the table of docs/PROTOCOL.md, which never changes.
    fileprivate var code: UInt8 {
        switch self {
        case .withoutChanges: 0
        case .immediatelyAvailableMetadataOnly: 1
        case .forUploading: 2
        case .forDeleting: 3
        case .forMoving: 4
        case .forMerging: 5
        case .forReplacing: 6
        case .contentIndependentMetadataOnly: 7
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0: self = .withoutChanges
        case 1: self = .immediatelyAvailableMetadataOnly
        case 2: self = .forUploading
        case 3: self = .forDeleting
        case 4: self = .forMoving
        case 5: self = .forMerging
        case 6: self = .forReplacing
        case 7: self = .contentIndependentMetadataOnly
        default: return nil
        }
    }
}
