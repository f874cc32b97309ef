import Basics

/// An object of a listing.
package struct S3Listed: Hashable, Sendable {
    package let key: String
    package let size: UInt64
}

/// A page of a listing ("ListObjectsV2", Amazon S3 API Reference).
struct S3Page: Hashable, Sendable {
    let objects: [S3Listed]
    /// The token of the next page; nil after the last.
    let next: String?

    init(parsing bytes: [UInt8]) throws(S3ReplyError) {
        let root = try S3ReplyError.parsing(bytes, as: "ListBucketResult")
        // A store without the encoding does not report its use.
        let isEncoded = root["EncodingType"] == "url"
        var objects: [S3Listed] = []
        for content in root.children where content.name == "Contents" {
            guard let text = content["Key"], let key = isEncoded ? Self.decoded(text) : text, !key.isEmpty,
                let size = content["Size"].flatMap({ UInt64($0) })
            else { throw S3ReplyError() }
            objects.append(S3Listed(key: key, size: size))
        }
        self.objects = objects
        guard root["IsTruncated"] == "true" else {
            next = nil
            return
        }
        guard let token = root["NextContinuationToken"], !token.isEmpty else { throw S3ReplyError() }
        next = token
    }

    /// Decodes like a form: some stores write a space as `+`, and all write `+` as `%2B`.
    private static func decoded(_ text: String) -> String? {
        PercentCoding.decode(text.utf8, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// A reply that violates the protocol.
struct S3ReplyError: Error {
    /// Returns the root element, which must have that name.
    static func parsing(_ bytes: [UInt8], as name: String) throws(S3ReplyError) -> XMLElement {
        do throws(XMLError) {
            let root = try XMLElement(parsing: bytes)
            if root.name == name { return root }
        } catch {}
        throw S3ReplyError()
    }
}

extension S3Client {
    /// The most consecutive pages without objects; an empty page may name a next page, but more in a row mean an
    /// endless store.
    private static let emptyPages = 16

    /// Returns the objects whose keys begin with `prefix`, sorted by the keys' bytes.
    ///
    /// - Parameters:
    ///   - key: Only later keys are listed.
    ///   - limit: The most objects to return; the next call continues after the last of them.
    package func list(_ prefix: String, after key: String? = nil, limit: Int) async throws -> [S3Listed] {
        var (objects, token, empty): ([S3Listed], String?, Int) = ([], nil, 0)
        while objects.count < limit {
            let page = try await page(prefix, after: key, token: token, count: min(limit - objects.count, 1000))
            empty = page.objects.isEmpty ? empty + 1 : 0
            guard empty < Self.emptyPages, page.next == nil || page.next != token else {
                throw S3Error(.damaged, "The list of objects in \(location) does not end.")
            }
            objects += page.objects
            guard let next = page.next else { break }
            token = next
        }
        return Array(objects.prefix(limit))
    }

    private func page(_ prefix: String, after key: String?, token: String?, count: Int) async throws -> S3Page {
        var exchange = S3Exchange(.get)
        exchange.query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(count)), ("prefix", prefix),
        ]
        if let token {
            exchange.query.append(("continuation-token", token))
        } else if let key {
            exchange.query.append(("start-after", key))
        }
        exchange.replyLimit = 8 << 20
        let location = location
        return try await perform(exchange) { reply throws(S3Error) in
            let page: S3Page
            do throws(S3ReplyError) { page = try S3Page(parsing: reply.body) } catch {
                throw S3Error(.damaged, "The list of objects in \(location) cannot be read.", cause: error)
            }
            // Keys outside the prefix were not requested; accepting them would read foreign objects.
            guard page.objects.allSatisfy({ $0.key.utf8.starts(with: prefix.utf8) }), page.objects.count <= count else {
                throw S3Error(.damaged, "The list of objects in \(location) contains keys that were not requested.")
            }
            return page
        }
    }
}
