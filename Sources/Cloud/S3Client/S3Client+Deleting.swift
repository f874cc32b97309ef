import Cryptography

import struct FoundationEssentials.Data

/// The reply to a multi-object deletion.
struct S3DeleteResult: Hashable, Sendable {
    struct Failure: Hashable, Sendable {
        let key: String
        let code: String
    }

    /// The remaining objects.
    let failures: [Failure]

    init(parsing bytes: [UInt8]) throws(S3ReplyError) {
        let root = try S3ReplyError.parsing(bytes, as: "DeleteResult")
        var failures: [Failure] = []
        for error in root.children where error.name == "Error" {
            guard let key = error["Key"], let code = error["Code"] else { throw S3ReplyError() }
            // An absent object counts as deleted.
            if code != "NoSuchKey" { failures.append(Failure(key: key, code: S3Refusal.visible(code, limit: 100))) }
        }
        self.failures = failures
    }
}

extension S3Client {
    /// The most keys per request.
    private static let batch = 1000

    /// Deletes objects; absent objects count as deleted. After an error some may have been deleted.
    package func delete(_ keys: [String]) async throws {
        for key in keys { try check(key: key) }
        var rest = keys[...]
        while !rest.isEmpty {
            try await deleteTogether(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
        }
    }

    private func deleteTogether(_ keys: ArraySlice<String>) async throws {
        var exchange = S3Exchange(.post)
        exchange.query = [("delete", "")]
        let objects = keys.map { XMLElement("Object", [XMLElement("Key", text: $0)]) }
        exchange.body = Array(XMLElement("Delete", [XMLElement("Quiet", text: "true")] + objects).encoded.utf8)
        // The only checksum accepted here by every store; S3 requires one.
        let digest = Data(MD5.hash(exchange.body)).base64EncodedString()
        exchange.headers = [("Content-MD5", digest), ("Content-Type", "application/xml")]
        exchange.replyLimit = 4 << 20
        let location = location
        try await perform(exchange) { reply throws(S3Error) in
            let result: S3DeleteResult
            do throws(S3ReplyError) { result = try S3DeleteResult(parsing: reply.body) } catch {
                throw S3Error(.damaged, "The reply of \(location) to a deletion cannot be read.", cause: error)
            }
            guard let first = result.failures.first else { return }
            let code = S3Error.Code(S3Refusal(code: first.code), status: 400) ?? .damaged
            throw S3Error(
                code,
                "\(result.failures.count) of \(keys.count) objects in \(location) could not be deleted (\(first.code))."
            )
        }
    }
}
