import Basics
import S3Client

/// The effects of requests on the objects. Called with the state locked.
extension S3Double {
    func carryOut(_ request: S3DoubleRequest, _ state: inout State) -> S3DoubleAnswer {
        guard let key = key(of: request) else { return .error(404, "NoSuchBucket") }
        if key.isEmpty {
            switch request.method {
            case "GET" where request["list-type"] == "2": return list(request, state)
            case "POST" where request["delete"] != nil: return delete(request, &state)
            default: return .error(501, "NotImplemented")
            }
        }
        switch request.method {
        case "GET", "HEAD": return get(key, request, state)
        case "PUT":
            if request.header("If-None-Match") == "*", state.objects[key] != nil, !state.ignoresConditions {
                return .error(412, "PreconditionFailed")
            }
            state.objects[key] = request.body
            return S3DoubleAnswer(200, headers: [("ETag", Self.etag(request.body))])
        case "DELETE":
            state.objects[key] = nil
            return S3DoubleAnswer(204)
        default: return .error(501, "NotImplemented")
        }
    }

    private static func etag(_ bytes: [UInt8]) -> String { "\"\(SigV4.digest(of: bytes).prefix(32))\"" }

    private func get(_ key: String, _ request: S3DoubleRequest, _ state: State) -> S3DoubleAnswer {
        guard let bytes = state.objects[key] else { return .error(404, "NoSuchKey") }
        let etag = Self.etag(bytes)
        if request.header("If-None-Match") == etag { return S3DoubleAnswer(304, headers: [("ETag", etag)]) }
        guard let range = request.header("Range") else {
            return S3DoubleAnswer(200, headers: [("ETag", etag)], body: bytes)
        }
        guard let match = range.wholeMatch(of: /bytes=(\d+)-(\d+)/), let first = Int(match.1), let last = Int(match.2),
            first <= last, first < bytes.count
        else { return .error(416, "InvalidRange") }
        let end = min(last, bytes.count - 1)
        let field = "bytes \(first)-\(end)/\(bytes.count)"
        return S3DoubleAnswer(
            206, headers: [("ETag", etag), ("Content-Range", field)], body: Array(bytes[first...end]))
    }

    private func list(_ request: S3DoubleRequest, _ state: State) -> S3DoubleAnswer {
        let count = min(request["max-keys"].flatMap { Int($0) } ?? 1000, state.pageSize)
        let after = request["continuation-token"].map { String($0.dropFirst(2)) } ?? request["start-after"] ?? ""
        let keys = state.objects.keys.filter {
            $0.hasPrefix(request["prefix"] ?? "") && after.utf8.lexicographicallyPrecedes($0.utf8)
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let page = keys.prefix(count)
        var fields = [
            XMLElement("Name", text: bucket), XMLElement("EncodingType", text: "url"),
            XMLElement("IsTruncated", text: "\(page.count < keys.count)"),
        ]
        if page.count < keys.count, let last = page.last {
            fields.append(XMLElement("NextContinuationToken", text: "t:\(last)"))
        }
        fields += page.map { key in
            let size = String(state.objects[key]?.count ?? 0)
            let name = PercentCoding.encode(key.utf8) {
                $0 != 0x20 && $0 != 0x25 && $0 != 0x2B && (0x21...0x7E).contains($0)
            }
            return XMLElement("Contents", [XMLElement("Key", text: name), XMLElement("Size", text: size)])
        }
        return S3DoubleAnswer(200, body: Array(XMLElement("ListBucketResult", fields).encoded.utf8))
    }

    private func delete(_ request: S3DoubleRequest, _ state: inout State) -> S3DoubleAnswer {
        guard let root = try? XMLElement(parsing: request.body) else { return .error(400, "MalformedXML") }
        guard request.header("Content-MD5") != nil else { return .error(400, "InvalidRequest") }
        for key in root.children.compactMap({ $0["Key"] }) { state.objects[key] = nil }
        return S3DoubleAnswer(200, body: Array("<DeleteResult/>".utf8))
    }
}
