/// A fast path for requests that programs send thousands of times a second, without an intermediate tree of values.
extension ClientEnvelope {
    /// Returns nil for any other request, and for one that is not in the canonical form.
    package init?(canonical bytes: UnsafeRawBufferPointer) {
        var reader = CanonicalReader(bytes)
        guard reader.skip("{\"id\":"), let id = reader.number(), reader.skip(",\"request\":{\"") else { return nil }
        let call: any DaemonCall
        if reader.skip("claim\":") {
            guard let claim = AccessRequest(&reader) else { return nil }
            call = claim
        } else {
            guard reader.skip("finish\":"), let finish = FinishRequest(&reader) else { return nil }
            call = finish
        }
        guard reader.skip("}}"), reader.isAtEnd else { return nil }
        self.init(id: id, call)
    }

    /// The complete frame; nil for any other request.
    var canonicalFrame: [UInt8]? {
        var writer = CanonicalWriter(id: id)
        writer.put(",\"request\":{\"")
        if let claim = request.call as? AccessRequest {
            guard claim.timeout == nil else { return nil }
            writer.put("claim\":")
            claim.write(to: &writer)
        } else {
            guard let finish = request.call as? FinishRequest else { return nil }
            writer.put("finish\":")
            finish.write(to: &writer)
        }
        writer.put("}}")
        return writer.frame()
    }
}

extension AccessRequest {
    fileprivate init?(_ reader: inout CanonicalReader) {
        guard reader.skip("{\"accesses\":["), var accesses = WantedAccess(&reader).map({ [$0] }) else { return nil }
        while reader.skip(",") {
            guard let next = WantedAccess(&reader) else { return nil }
            accesses.append(next)
        }
        guard reader.skip("]") else { return nil }
        var presenter: UInt64?
        var purpose: String?
        var within: UInt64?
        var withinPresenter: UInt64?
        if reader.skip(",\"presenter\":") { presenter = reader.number() }
        if reader.skip(",\"purpose\":") { purpose = reader.text().map { String(decoding: $0, as: UTF8.self) } }
        if reader.skip(",\"within\":") { within = reader.number() }
        if reader.skip(",\"withinPresenter\":") { withinPresenter = reader.number() }
        // If a read failed, so does this one.
        guard reader.skip("}") else { return nil }
        self.init(
            accesses: accesses, purpose: purpose, within: within, withinPresenter: withinPresenter,
            presenter: presenter)
    }

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.put("{\"accesses\":")
        writer.put(list: accesses) { $0.write(to: &$1) }
        writer.put(",\"presenter\":", presenter)
        if let purpose {
            writer.put(",\"purpose\":")
            writer.put(text: purpose.utf8)
        }
        writer.put(",\"within\":", within)
        writer.put(",\"withinPresenter\":", withinPresenter)
        writer.put("}")
    }
}

extension WantedAccess {
    fileprivate init?(_ reader: inout CanonicalReader) {
        guard reader.skip("{\"mode\":") else { return nil }
        let mode: AccessMode
        if reader.skip("\"read\"") {
            mode = .read
        } else if reader.skip("\"write\"") {
            mode = .write
        } else {
            return nil
        }
        guard reader.skip(",\"options\":["), let options = Self.options(&reader), reader.skip(",\"path\":"),
            let text = reader.text(), let path = try? MountPath(bytes: Array(text)), reader.skip("}")
        else { return nil }
        self.init(path: path, mode: mode, options: options)
    }

    private static func options(_ reader: inout CanonicalReader) -> [AccessOption]? {
        if reader.skip("]") { return [] }
        var options: [AccessOption] = []
        repeat {
            guard let text = reader.text(), let option = AccessOption(rawValue: String(decoding: text, as: UTF8.self))
            else { return nil }
            options.append(option)
        } while reader.skip(",")
        return reader.skip("]") ? options : nil
    }

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.put(mode == .read ? "{\"mode\":\"read\",\"options\":[" : "{\"mode\":\"write\",\"options\":[")
        for (index, option) in options.enumerated() {
            if index > 0 { writer.put(",") }
            writer.put(text: option.rawValue.utf8)
        }
        writer.put("],\"path\":")
        writer.put(text: path.bytes)
        writer.put("}")
    }
}

extension FinishRequest {
    fileprivate init?(_ reader: inout CanonicalReader) {
        guard reader.skip("{\"claim\":"), let claim = reader.number() else { return nil }
        let isQuiet = reader.skip(",\"isQuiet\":true")
        guard reader.skip("}") else { return nil }
        self.init(claim: claim, isQuiet: isQuiet ? true : nil)
    }

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.put("{\"claim\":")
        writer.put(claim)
        if let isQuiet {
            writer.put(isQuiet ? ",\"isQuiet\":true" : ",\"isQuiet\":false")
        }
        writer.put("}")
    }
}

extension CanonicalWriter {
    /// Writes an optional field.
    fileprivate mutating func put(_ field: StaticString, _ number: UInt64?) {
        guard let number else { return }
        put(field)
        put(number)
    }
}
