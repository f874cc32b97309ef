/// An object's bytes, or a range of them.
package struct S3Object: Hashable, Sendable {
    package let bytes: [UInt8]
    /// The tag as sent by the store, with its quotes; nil if it sent none.
    package let etag: String?
}

/// The result of a GET.
package enum S3Reading: Hashable, Sendable {
    case object(S3Object)
    /// The object still has the given tag.
    case unchanged
    case missing
}

/// The result of a PUT that must not replace anything.
package enum S3Creation: Hashable, Sendable {
    case created
    /// An object with that key exists, with different bytes.
    case taken
}

extension S3Client {
    /// Reads an object, or a range of its bytes.
    ///
    /// - Parameters:
    ///   - etag: The tag of the known version; its bytes are not sent again while the object has that tag.
    ///   - limit: The most bytes to accept.
    /// - Throws: ``S3Error``: `noRange` if the object ends before the range, `tooLong`.
    package func get(
        _ key: String, range: Range<UInt64>? = nil, unless etag: String? = nil, limit: Int
    ) async throws -> S3Reading {
        try check(key: key)
        var exchange = S3Exchange(.get, key)
        if let range {
            guard !range.isEmpty else {
                throw S3Error(.invalid, "An empty range of \(name(exchange)) was requested.")
            }
            exchange.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        if let etag {
            exchange.headers.append(("If-None-Match", etag))
            exchange.expected = [304]
        }
        exchange.replyLimit = limit
        do {
            let name = name(exchange)
            return try await perform(exchange) { reply throws(S3Error) in
                if reply.status == 304 { return .unchanged }
                if let range { try Self.check(reply, is: range, of: name) }
                return .object(S3Object(bytes: reply.body, etag: reply.headers.etag))
            }
        } catch let error as S3Error where error.code == .noKey { return .missing }
    }

    /// Checks that a part is the requested one: a part from a wrong position would be read as wrong bytes.
    private static func check(_ reply: S3Reply, is range: Range<UInt64>, of name: String) throws(S3Error) {
        let first = "bytes \(range.lowerBound)-"
        guard reply.status == 206, reply.headers.range?.hasPrefix(first) == true,
            UInt64(reply.body.count) <= range.upperBound - range.lowerBound
        else { throw S3Error(.damaged, "The store sent other bytes of \(name) than were requested.") }
    }

    /// Returns the size of an object in bytes; nil if it does not exist.
    ///
    /// A missing bucket looks the same, because the response to a HEAD has no body with details.
    package func size(_ key: String) async throws -> UInt64? {
        try check(key: key)
        let exchange = S3Exchange(.head, key)
        let name = name(exchange)
        do {
            return try await perform(exchange) { reply throws(S3Error) in
                guard let size = reply.headers.length.flatMap({ UInt64($0) }) else {
                    throw S3Error(.damaged, "The store does not say how long \(name) is.")
                }
                return size
            }
        } catch let error as S3Error where error.code == .noKey { return nil }
    }

    /// Writes an object, replacing an existing object.
    package func put(_ key: String, _ bytes: [UInt8]) async throws {
        try check(key: key)
        var exchange = S3Exchange(.put, key)
        exchange.body = bytes
        try await perform(exchange) { _ in }
    }

    /// Writes an object unless it exists. Of several concurrent calls for the same key, exactly one succeeds.
    ///
    /// A reply may be lost, and a later retry, automatic or not, then finds the object written by the first attempt. So
    /// an object with the same bytes counts as created: a caller that has to recognise its own object writes unique
    /// bytes.
    package func create(_ key: String, _ bytes: [UInt8]) async throws -> S3Creation {
        if try await putIfAbsent(key, bytes) { return .created }
        return try await holds(key, bytes) ? .created : .taken
    }

    /// Writes an object unless it exists, for keys that imply their bytes.
    ///
    /// - Returns: Whether the object was written. After a lost reply, false may stand for this call's own object.
    package func putIfAbsent(_ key: String, _ bytes: [UInt8]) async throws -> Bool {
        try check(key: key)
        var exchange = S3Exchange(.put, key)
        exchange.headers.append(("If-None-Match", "*"))
        exchange.body = bytes
        do {
            try await perform(exchange) { _ in }
            return true
        } catch let error as S3Error where error.code == .taken { return false }
    }

    private func holds(_ key: String, _ bytes: [UInt8]) async throws -> Bool {
        do {
            guard case .object(let object) = try await get(key, limit: bytes.count) else {
                // The object was deleted since the store refused to create it, so its author is unknown.
                throw S3Error(.unavailable, "\(S3Location.quoted(key)) in \(location) was deleted in the meantime.")
            }
            return object.bytes == bytes
        } catch let error as S3Error where error.code == .tooLong { return false }
    }

    /// Deletes an object; an absent object counts as deleted.
    package func delete(_ key: String) async throws {
        try check(key: key)
        do { try await perform(S3Exchange(.delete, key)) { _ in } } catch let error as S3Error
            where error.code == .noKey
        {}
    }

    /// Checks a key by the rules of "Object key naming" (Amazon S3 User Guide). Dot segments are valid there, but do
    /// not survive in URLs.
    func check(key: String) throws(S3Error) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...1024).contains(key.utf8.count), !parts.contains("."), !parts.contains(".."), !key.hasPrefix("/")
        else {
            throw S3Error(
                .invalid,
                "\(S3Location.quoted(key)) cannot be a key: use 1 to 1,024 bytes, without a slash before them and without dots alone."
            )
        }
    }
}
