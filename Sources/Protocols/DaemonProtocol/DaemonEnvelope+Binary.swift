package import Basics

extension DaemonEnvelope {
    /// Reads the payload of a binary frame.
    package init(binary payload: [UInt8]) throws(ByteCodingError) {
        var reader = ByteReader(payload)
        let kind = try reader.kind()
        let id = try reader.varint()
        switch kind {
        case .granted: self.init(id: id, .response(try GrantedResponse(&reader)))
        case .done: self.init(id: id, .response(DoneResponse()))
        case .claim, .finish: throw .invalid("a request in place of a response")
        }
        try reader.expectEnd()
    }

    /// Returns the payload of a binary frame; nil for a message without a binary form.
    package var binary: [UInt8]? {
        guard case .response(let response) = body else { return nil }
        var writer: ByteWriter
        if let granted = response.value as? GrantedResponse {
            writer = ByteWriter(.granted, id: id)
            granted.write(to: &writer)
        } else {
            guard response.value is DoneResponse else { return nil }
            writer = ByteWriter(.done, id: id)
        }
        return writer.bytes
    }
}

extension GrantedResponse {
    fileprivate init(_ reader: inout ByteReader) throws(ByteCodingError) {
        let claim = try reader.varint()
        let isWhole = try reader.flag()
        let count = try reader.count()
        var paths: [MountPath] = []
        paths.reserveCapacity(count)
        for _ in 0..<count { paths.append(try reader.path()) }
        self.init(paths: paths, claim: claim, isWhole: isWhole)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(varint: claim)
        writer.append(flag: isWhole)
        writer.append(varint: UInt64(paths.count))
        for path in paths { writer.append(path: path) }
    }
}
