package import Basics
package import CloudModel
package import CloudProtocol
import Foundation
import GRDB

/// What a published link serves, to everyone.
package struct PublishedContent: Hashable, Sendable {
    package let id: Int64
    package let account: AccountID
    package let container: ContainerName
    package let name: ItemName
    package let content: ContentReference
    let password: LinkPassword?

    package var needsPassword: Bool { password != nil }
}

/// A published link as its account sees it. Its address is returned once, when it is made.
package struct LinkRecord: Hashable, Sendable {
    package let id: Int64
    package let container: ContainerName
    package let name: ItemName
    package let size: UInt64
    package let created: Timestamp
    package let expires: Timestamp
    package let hasPassword: Bool
}

extension ServerStore {
    package static let maximumLinks = 10_000
    /// The longest list of chunks that is published, in bytes: that of some 230 GiB.
    static let maximumPublished = 32 << 20
    /// Of lists longer than this, in bytes, the chunks of a published document have so many bytes on average at least.
    private static let longList = 160 << 10
    private static let smallestAverage: UInt64 = 16 << 10

    /// Publishes a content under a token's digest. Its chunks must be there; from the return on they are held.
    package func addLink(
        _ token: LinkToken, to content: ContentReference, name: ItemName, in container: ContainerName,
        of account: AccountID, lifetime: Duration, password: String?
    ) async throws -> LinkRecord {
        // What costs little comes first: a password takes time that all share.
        try await database.read { db in
            _ = try Self.requireContainer(container, account, db)
            try Self.requireRoomForLink(of: account, db)
        }
        // For days from here on no collection takes them, whether it has begun or not; later ones see the link.
        let chunks = try await holdForLink(content, in: container, of: account)
        guard chunks.isEmpty else {
            throw StorageError(.notFound, "The version is not in the cloud; sync the document and try again.")
        }
        let sealed = try await password.asyncMap { try await passwords.seal($0, for: account) }
        let now = now()
        let expires = now + lifetime.components.seconds
        let id = try await database.commit { db in
            try db.execute(sql: "DELETE FROM link WHERE expires <= ?", arguments: [now])
            let place = try Self.requireContainer(container, account, db).id
            try Self.requireRoomForLink(of: account, db)
            try db.execute(
                sql: """
                    INSERT INTO link (container, hash, name, digest, size, layout, salt, password, created, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    place, hash(token.text.utf8), Data(name.bytes), Data(content.digest.bytes),
                    Int64(clamping: content.size), Int64(content.layout.rawValue), sealed?.salt, sealed?.hash, now,
                    expires,
                ])
            return db.lastInsertedRowID
        }
        return LinkRecord(
            id: id, container: container, name: name, size: content.size, created: Timestamp(seconds: now),
            expires: Timestamp(seconds: expires), hasPassword: sealed != nil)
    }

    /// What of a content to be published is not here.
    private func holdForLink(
        _ content: ContentReference, in container: ContainerName, of account: AccountID
    ) async throws -> [ChunkID] {
        guard content.layout != .empty else {
            guard content.size == 0 else { throw StorageError(.invalid, "A content of no chunks has no bytes.") }
            return []
        }
        if content.layout == .manifest {
            let places = try await place(of: content.digest, in: container, of: account).map { [$0] } ?? []
            let length = try await manifests.plainLengths(of: places).first ?? 0
            // Chunks of devices have 64 KiB at least: a long list of tiny ones would make each download a great many reads.
            let isTiny = length > Self.longList && content.size / UInt64(length / 33) < Self.smallestAverage
            guard length <= Self.maximumPublished, !isTiny else {
                throw StorageError(.tooLarge, "The version has more chunks than a published document may have.")
            }
        }
        return try await hold([content], in: container, of: account, onlyTrusted: true)
    }

    private static func requireRoomForLink(of account: AccountID, _ db: Database) throws {
        let count = try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM link JOIN container ON container.id = link.container WHERE account = ?",
            arguments: [account.value])
        guard count ?? 0 < maximumLinks else {
            throw StorageError(.quota, "The account has \(maximumLinks) links, the most there may be. Withdraw some.")
        }
    }

    /// What a link serves; nil for one that never was, was withdrawn, or has expired: these look the same from outside.
    package func link(_ token: LinkToken) async throws -> PublishedContent? {
        let now = now()
        return try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT link.*, account, container.name AS containerName FROM link
                    JOIN container ON container.id = link.container
                    WHERE hash = ? AND expires > ? AND suspended IS NULL
                    """, arguments: [hash(token.text.utf8), now])
            return try row.map(PublishedContent.init)
        }
    }

    /// Whether this is the link's password. Tries wait for one another, accounts by turns; throws `busy` where too many of one wait.
    package func isPassword(_ text: String, of link: PublishedContent) async throws -> Bool {
        guard let password = link.password else { return true }
        return try await passwords.matches(text, password, of: link.account)
    }

    /// What a browser shows instead of the password once it has given it: ends with the link or a change of its password.
    package func pass(of link: PublishedContent, token: LinkToken) -> String {
        Hex.encode(hash(Array((link.password?.hash ?? Data())) + Array(token.text.utf8)))
    }

    package func links(of account: AccountID) async throws -> [LinkRecord] {
        let now = now()
        return try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT link.*, container.name AS containerName FROM link
                    JOIN container ON container.id = link.container
                    WHERE account = ? AND expires > ? AND suspended IS NULL ORDER BY link.id
                    """, arguments: [account.value, now])
            return try rows.map(LinkRecord.init)
        }
    }

    /// False where the account has no such link.
    package func withdrawLink(_ id: Int64, of account: AccountID) async throws -> Bool {
        try await database.commit { db in
            try db.execute(
                sql: """
                    DELETE FROM link WHERE id = ? AND container IN (SELECT id FROM container WHERE account = ?)
                    """, arguments: [id, account.value])
            return db.changesCount > 0
        }
    }

    /// Contents that links of a container hold: their chunks, and those that their manifests name, must stay. For a collector of
    /// garbage, in the transaction that gives chunks up.
    static func contentsHeldByLinks(in container: Int64, at now: Int64, _ db: Database) throws -> [ContentReference] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT DISTINCT digest, size, layout FROM link WHERE container = ? AND expires > ?",
            arguments: [container, now])
        return try rows.map(ContentReference.init)
    }
}

extension ContentReference {
    /// A row with `digest`, `size` and `layout`.
    init(_ row: Row) throws {
        guard let digest = Digest(row["digest"] as Data), let layout = Layout(rawValue: row["layout"]) else {
            throw StorageError(.damaged, "The server's database has a corrupt content row.")
        }
        self.init(digest: digest, size: UInt64(clamping: row["size"] as Int64), layout: layout)
    }
}

extension PublishedContent {
    fileprivate init(_ row: Row) throws {
        let salt: Data? = row["salt"]
        let hash: Data? = row["password"]
        let password = salt.flatMap { salt in hash.map { LinkPassword(salt: salt, hash: $0) } }
        self.init(
            id: row["id"], account: AccountID(row["account"]), container: try containerName(row),
            name: try ItemName(bytes: row["name"] as Data), content: try ContentReference(row), password: password)
    }
}

extension LinkRecord {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: row["id"], container: try containerName(row), name: try ItemName(bytes: row["name"] as Data),
            size: UInt64(clamping: row["size"] as Int64), created: Timestamp(seconds: row["created"]),
            expires: Timestamp(seconds: row["expires"]), hasPassword: (row["salt"] as Data?) != nil)
    }
}

private func containerName(_ row: Row) throws -> ContainerName {
    guard let name = ContainerName(row["containerName"] as String) else {
        throw StorageError(.damaged, "The server's database has a container whose name is none.")
    }
    return name
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await body(self)
    }
}
