import Basics
package import CloudStorage
import Logging
import S3Client
import Synchronization

extension S3Backend {
    /// See ``CloudBackend/connect(create:)``. A new cloud is created only in a store with atomic object creation, and
    /// in a prefix without objects.
    package func connect(create: Bool) async throws -> CloudIdentity {
        try await translating(create ? .writing : .reading) {
            var found = try await self.readIdentity()
            if found == nil, create { found = try await self.makeCloud() }
            guard let identity = found else { throw self.absent() }
            try self.adopt(identity)
            return identity
        }
    }

    /// Checks that the cloud is still the connected one. Called when an expected object is absent.
    func confirmIdentity() async throws {
        guard let identity = try await readIdentity() else { throw absent() }
        try adopt(identity)
    }

    private func adopt(_ identity: CloudIdentity) throws {
        let isSame = state.withLock { state in
            guard state.identity == nil || state.identity == identity else { return false }
            state.identity = identity
            return true
        }
        guard isSame else {
            throw CloudError(
                .foreign,
                "Another cloud is at \(client.location) than the one this device works with. Restore the earlier versions of its objects, or run `ubiquity reset`."
            )
        }
    }

    private func absent() -> CloudError {
        CloudError(
            .offline, "There is no cloud at \(client.location). Check the bucket and the prefix of the address.")
    }

    /// How often an unparsable identity is read: a proxy may have cut off a reply, and the object never changes.
    private static let identityReads = 3

    private func readIdentity() async throws -> CloudIdentity? {
        for _ in 1..<Self.identityReads {
            do { return try await parseIdentity() } catch let error as CloudError where error.code == .damaged {
                logger.info("the identity of the cloud is read again", metadata: ["why": "\(error)"])
            }
        }
        return try await parseIdentity()
    }

    private func parseIdentity() async throws -> CloudIdentity? {
        guard case .object(let object) = try await client.get(layout.identity, limit: IdentityFile.maximumSize) else {
            return nil
        }
        do throws(IdentityFile.Problem) { return try IdentityFile(object.bytes).identity } catch {
            switch error {
            case .newer(let format):
                throw CloudError(
                    .tooNew,
                    "The cloud at \(client.location) needs a newer version of ubiquity: it has format \(format), this program supports \(IdentityFile.format). Nothing was changed. Install a newer version to continue syncing."
                )
            case .notOurs:
                throw CloudError(
                    .damaged,
                    "The object \(layout.identity) in \(client.location) cannot be parsed. Restore its earlier version."
                )
            }
        }
    }

    // MARK: A new cloud

    private func makeCloud() async throws -> CloudIdentity {
        try await requireEmptyPrefix()
        try await requireAtomicCreation()
        var generator = SystemRandomNumberGenerator()
        // If a concurrent device was faster, both use its cloud.
        let bytes = Array(IdentityFile.random(using: &generator).text.utf8)
        _ = try await client.putIfAbsent(layout.identity, bytes)
        guard let identity = try await readIdentity() else { throw absent() }
        return identity
    }

    private func requireEmptyPrefix() async throws {
        // A concurrent device may be creating the cloud.
        let ours = [layout.probes, layout.identity]
        let listed = try await client.list(layout.prefix, limit: 1000)
        guard listed.allSatisfy({ object in ours.contains { object.key.hasPrefix($0) } }) else {
            throw CloudError(
                .foreign,
                "\(client.location) has other objects in it and is no cloud. Name a prefix without objects, such as s3://\(client.location.bucket)/ubiquity."
            )
        }
    }

    /// The number of competing creations of one key.
    private static let contestants = 8

    /// Creates the same key several times concurrently, with different bytes each time. The log has a single order only
    /// if exactly one creation succeeds.
    private func requireAtomicCreation() async throws {
        let key = "\(layout.probes)\(Hex.encode(UInt64.random(in: 0...UInt64.max)))"
        let client = client
        let outcome: Result<Int, any Error>
        do {
            var winners = try await concurrently(Array(0..<Self.contestants)) { number in
                try await client.create(key, Array("contestant \(number)\n".utf8)) == .created
            }.count { $0 }
            // A store that ignores the condition lets this creation succeed, too.
            if try await client.create(key, Array("late\n".utf8)) == .created { winners += 1 }
            outcome = .success(winners)
        } catch { outcome = .failure(error) }
        await removeProbe(key)
        do {
            guard try outcome.get() == 1 else {
                throw notAtomic("more than one of several creations of one object succeeded")
            }
        } catch let error as S3Error where error.code == .unsupported {
            throw notAtomic("it does not support If-None-Match")
        }
    }

    private func notAtomic(_ why: String) -> CloudError {
        CloudError(
            .failed,
            """
            The store of \(client.location) cannot hold a cloud: \(why), so that edits of two devices could replace each other. Use a store \
            that creates objects atomically; docs/BACKENDS.md lists some.
            """)
    }

    private func removeProbe(_ key: String) async {
        do { try await client.delete(key) } catch {
            // Credentials without the right to delete are recommended; the object has a few bytes.
            logger.info("a probe was left in the bucket", metadata: ["key": "\(key)", "why": "\(error)"])
        }
    }
}
