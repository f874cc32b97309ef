/// A fast path for the responses to the requests of ``ClientEnvelope/init(canonical:)``.
extension DaemonEnvelope {
    /// Returns nil for any other message, and for one that is not in the canonical form.
    package init?(canonical bytes: UnsafeRawBufferPointer) {
        var reader = CanonicalReader(bytes)
        guard reader.skip("{\"id\":"), let id = reader.number(), reader.skip(",\"response\":{\"") else { return nil }
        let response: any CallResponse
        if reader.skip("done\":{}") {
            response = DoneResponse()
        } else {
            guard reader.skip("granted\":"), let granted = GrantedResponse(&reader) else { return nil }
            response = granted
        }
        guard reader.skip("}}"), reader.isAtEnd else { return nil }
        self.init(id: id, .response(DaemonResponse(response)))
    }

    /// The complete frame; nil for any other message.
    var canonicalFrame: [UInt8]? {
        guard case .response(let response) = body else { return nil }
        var writer = CanonicalWriter(id: id)
        if response.value is DoneResponse {
            writer.put(",\"response\":{\"done\":{}")
        } else {
            guard let granted = response.value as? GrantedResponse else { return nil }
            writer.put(",\"response\":{\"granted\":")
            granted.write(to: &writer)
        }
        writer.put("}}")
        return writer.frame()
    }
}

extension GrantedResponse {
    fileprivate init?(_ reader: inout CanonicalReader) {
        guard reader.skip("{\"claim\":"), let claim = reader.number() else { return nil }
        let isWhole = reader.skip(",\"isWhole\":true")
        guard reader.skip(",\"paths\":[") else { return nil }
        var paths: [MountPath] = []
        repeat {
            guard let text = reader.text(), let path = try? MountPath(bytes: Array(text)) else { return nil }
            paths.append(path)
        } while reader.skip(",")
        guard reader.skip("]}") else { return nil }
        self.init(paths: paths, claim: claim, isWhole: isWhole ? true : nil)
    }

    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.put("{\"claim\":")
        writer.put(claim)
        if let isWhole {
            writer.put(isWhole ? ",\"isWhole\":true" : ",\"isWhole\":false")
        }
        writer.put(",\"paths\":")
        writer.put(list: paths) { $1.put(text: $0.bytes) }
        writer.put("}")
    }
}
