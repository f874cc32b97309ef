package import Basics
package import CloudModel
package import CloudProtocol
import Foundation

/// The content served publicly by a published link.
package struct PublishedContent: Hashable, Sendable {
    package let id: Int64
    package let account: AccountID
    package let container: ContainerName
    package let name: ItemName
    package let content: ContentReference
    let password: LinkPassword?

    package var needsPassword: Bool { password != nil }
}

/// A published link as seen by the server's owner.
package struct OwnedLink: Hashable, Sendable {
    package let id: Int64
    package let account: String
    package let container: String
    package let name: String
    package let expires: Timestamp
    /// Whether the link was restored from a backup; it serves nothing until the owner has confirmed it.
    package let isSuspended: Bool
}

/// Published links, and the contents they hold.
package struct LinkStore: NounStore {
    let database: any StorageDatabase
    let time: any TimeSource
    let chunks: ChunkStore
    let passwords: PasswordHasher

    package static let maximumLinks = 10_000
    /// The longest manifest of a published document, in bytes: that of some 230 GiB.
    static let maximumPublished = 32 << 20
    /// For manifests longer than this, in bytes, a published document's chunks must average at least
    /// ``smallestAverage`` bytes.
    private static let longList = 160 << 10
    private static let smallestAverage: UInt64 = 16 << 10

    /// Publishes a content under a token's digest. Its chunks must exist; they are held from the return of this call
    /// on.
    package func add(
        _ token: LinkToken, to content: ContentReference, name: ItemName, in container: ContainerName,
        of account: AccountID, lifetime: Duration, password: String?
    ) async throws -> LinkRecord {
        // Cheap checks first: hashing a password takes time shared by all accounts.
        try await database.read { db in
            _ = try LogStore.requireContainer(container, account, db)
            try Self.requireRoomForLink(of: account, db)
        }
        try await holdForLink(content, in: container, of: account)
        let sealed = try await password.asyncMap { try await passwords.seal($0, for: account) }
        let now = now()
        let expires = now + lifetime.components.seconds
        // Repeated only if a collection removed chunks of the container since they were looked for; later collections
        // see the link.
        for _ in 0..<Self.rounds {
            let removals = try await chunks.removals(in: container, of: account)
            try await holdForLink(content, in: container, of: account)
            let id = try await insert(
                token, to: content, name: name, in: container, of: account, from: now, to: expires, sealed,
                ifRemovalsAre: removals)
            guard let id else { continue }
            return LinkRecord(
                id: id, container: container, name: name, size: content.size, created: Timestamp(seconds: now),
                expires: Timestamp(seconds: expires), hasPassword: sealed != nil)
        }
        throw StorageError(.busy, "Chunks are being collected; try again.")
    }

    private static let rounds = 16

    /// - Returns: The number of the link; nil if chunks of the container were removed since that many removals.
    private func insert(
        _ token: LinkToken, to content: ContentReference, name: ItemName, in container: ContainerName,
        of account: AccountID, from now: Int64, to expires: Int64, _ sealed: LinkPassword?,
        ifRemovalsAre removals: Int64
    ) async throws -> Int64? {
        try await database.commit(of: account) { db in
            try Self.remove("account = ? AND expires <= ?", [account.value, now], db)
            let place = try LogStore.requireContainer(container, account, db).id
            guard try ChunkStore.removals(of: place, db) == removals else { return nil }
            try Self.requireRoomForLink(of: account, db)
            let id = try db.value(
                Int64.self,
                """
                INSERT INTO link (container, hash, name, digest, size, layout, salt, password, created, expires)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                """,
                [
                    place, hash(token.text.utf8), Data(name.bytes), Data(content.digest.bytes),
                    Int64(clamping: content.size), Int64(content.layout.rawValue), sealed?.salt, sealed?.hash, now,
                    expires,
                ])
            guard let id else { throw StorageError(.failed, "The link could not be stored; try again.") }
            try AccountStore.use(StorageCost.link, of: account, db)
            return id
        }
    }

    /// Holds the chunks of a content to be published. Throws `notFound` if one is missing.
    private func holdForLink(
        _ content: ContentReference, in container: ContainerName, of account: AccountID
    ) async throws {
        guard content.layout != .empty else {
            guard content.size == 0 else { throw StorageError(.invalid, "A content of no chunks has no bytes.") }
            return
        }
        if content.layout == .manifest {
            let places = try await chunks.place(of: content.digest, in: container, of: account).map { [$0] } ?? []
            let length = try await chunks.manifests.plainLengths(of: places).first ?? 0
            // Devices cut chunks of at least 64 KiB: a long list of tiny chunks would turn each download into a great
            // many reads.
            let isTiny = length > Self.longList && content.size / UInt64(length / 33) < Self.smallestAverage
            guard length <= Self.maximumPublished, !isTiny else {
                throw StorageError(.tooLarge, "The version has too many chunks to be published.")
            }
        }
        guard try await chunks.hold([content], in: container, of: account, onlyTrusted: true).isEmpty else {
            throw StorageError(.notFound, "The version is not in the cloud; sync the document and try again.")
        }
    }

    private static func requireRoomForLink(of account: AccountID, _ db: any StorageTransaction) throws {
        let count = try db.value(
            Int.self, "SELECT COUNT(*) FROM link JOIN container ON container.id = link.container WHERE account = ?",
            [account.value])
        guard count ?? 0 < maximumLinks else {
            throw StorageError(.quota, "The account has reached the limit of \(maximumLinks) links. Withdraw some.")
        }
        try AccountStore.reserve(StorageCost.link, of: account, db)
    }

    /// Returns the content served by a link; nil for a link that never existed, was withdrawn, or has expired: these
    /// look the same from outside.
    package func link(_ token: LinkToken) async throws -> PublishedContent? {
        let now = now()
        return try await database.read { db in
            let row = try db.row(
                """
                SELECT link.*, account, container.name AS containerName FROM link
                JOIN container ON container.id = link.container JOIN account ON account.id = container.account
                WHERE hash = ? AND expires > ? AND suspended IS NULL AND disabled IS NULL
                """, [hash(token.text.utf8), now])
            return try row.map(PublishedContent.init)
        }
    }

    /// Whether this is the link's password. Attempts run one at a time, accounts by turns. Throws `busy` if too many
    /// wait.
    package func isPassword(_ text: String, of link: PublishedContent) async throws -> Bool {
        guard let password = link.password else { return true }
        return try await passwords.matches(text, password, of: link.account)
    }

    /// Returns the value that a browser sends in place of the password after it has sent the password. It becomes
    /// invalid with the link or when the password changes.
    package func pass(of link: PublishedContent, token: LinkToken) -> String {
        Hex.encode(hash(Array((link.password?.hash ?? Data())) + Array(token.text.utf8)))
    }

    /// Returns a page of an account's links, ordered by number, and their total number.
    package func page(
        of account: AccountID, from offset: Int, limit: Int
    ) async throws -> (links: [LinkRecord], total: Int) {
        let now = now()
        return try await database.read { db in
            let total = try db.value(Int.self, "SELECT COUNT(*) \(Self.known)", [account.value, now])
            let rows = try db.rows(
                "SELECT link.*, container.name AS containerName \(Self.known) ORDER BY link.id LIMIT ? OFFSET ?",
                [account.value, now, limit, offset])
            return (try rows.map(LinkRecord.init), total ?? 0)
        }
    }

    /// Returns the links of an account after this number, ordered by number.
    package func list(of account: AccountID, after number: Int64, limit: Int) async throws -> [LinkRecord] {
        let now = now()
        return try await database.read { db in
            try db.rows(
                """
                SELECT link.*, container.name AS containerName \(Self.known) AND link.id > ? ORDER BY link.id LIMIT ?
                """, [account.value, now, number, limit]
            ).map(LinkRecord.init)
        }
    }

    /// The links of an account; its arguments are the account and the time.
    private static let known = """
        FROM link JOIN container ON container.id = link.container
        WHERE account = ? AND expires > ? AND suspended IS NULL
        """

    /// Withdraws a link. Returns false if the account has no such link.
    package func withdraw(_ id: Int64, of account: AccountID) async throws -> Bool {
        try await database.commit(of: account) { db in
            try Self.remove("link.id = ? AND account = ?", [id, account.value], db) > 0
        }
    }

    package func list(ofAccount name: String?) async throws -> [OwnedLink] {
        let now = now()
        return try await database.read { db in
            try AccountStore.requireAccount(ifNamed: name, db)
            return try db.rows(
                """
                SELECT link.*, container.name AS containerName, account.name AS accountName FROM link
                JOIN container ON container.id = link.container JOIN account ON account.id = container.account
                WHERE expires > ?2 AND (?1 IS NULL OR account.name = ?1) ORDER BY link.id
                """, [name.map(AccountName.stored), now]
            ).map { row in
                try OwnedLink(
                    id: row["id"], account: row["accountName"], container: row["containerName"],
                    name: String(decoding: row["name"] as Data, as: UTF8.self),
                    expires: Timestamp(seconds: row["expires"]), isSuspended: (row["suspended"] as Int64?) != nil)
            }
        }
    }

    /// Confirms one or all of the links suspended by a restore.
    ///
    /// - Returns: How many were confirmed.
    package func confirm(_ link: Int64?) async throws -> Int {
        try await database.commit { db in
            return try db.execute(
                "UPDATE link SET suspended = NULL WHERE suspended IS NOT NULL AND (?1 IS NULL OR id = ?1)", [link])
        }
    }

    /// Withdraws a link. Returns false if there is none with this number.
    package func withdraw(_ id: Int64) async throws -> Bool {
        try await database.commit { try Self.remove("link.id = ?", [id], $0) > 0 }
    }

    /// How long contents stay after their link has expired, in seconds: correcting a wrong clock backwards makes it
    /// valid again.
    private static let heldSeconds: Int64 = 7 * 86_400

    /// Returns the contents held by links of a container: their chunks, and those in their manifests, must stay.
    func contents(heldIn container: Int64, at now: Int64) async throws -> [ContentReference] {
        try await database.read { db in
            try db.rows(
                "SELECT DISTINCT digest, size, layout FROM link WHERE container = ? AND expires > ?",
                [container, now - Self.heldSeconds]
            ).map(ContentReference.init)
        }
    }

    static func removeAll(of account: Int64, _ db: any StorageTransaction) throws {
        try remove("account = ?", [account], db)
    }

    static func removeAll(in container: Int64, _ db: any StorageTransaction) throws {
        try remove("container.id = ?", [container], db)
    }

    /// Removes all accounts' links that expired long ago. Correcting a wrong clock backwards may make the rest valid
    /// again.
    func removeExpired() async throws {
        let cutoff = now() - Self.expiredSeconds
        try await database.commit { try Self.remove("expires <= ?", [cutoff], $0) }
    }

    private static let expiredSeconds: Int64 = 30 * 86_400

    /// Removes links. They no longer count against their accounts' shares.
    ///
    /// - Returns: How many there were.
    @discardableResult
    private static func remove(
        _ condition: String, _ values: [any StorageValueConvertible], _ db: any StorageTransaction
    ) throws -> Int {
        let links = "FROM link JOIN container ON container.id = link.container WHERE \(condition)"
        for row in try db.rows("SELECT account, COUNT(*) AS count \(links) GROUP BY account", values) {
            try AccountStore.use(-StorageCost.link * (row["count"] as Int), of: AccountID(row["account"]), db)
        }
        return try db.execute("DELETE FROM link WHERE id IN (SELECT link.id \(links))", values)
    }

    /// Suspends every link of a server until its owner confirms it.
    static func suspendAll(_ db: any StorageTransaction) throws {
        try db.execute("UPDATE link SET suspended = unixepoch()")
    }
}

extension ContentReference {
    /// A row with `digest`, `size` and `layout`.
    init(_ row: StorageRow) throws {
        guard let digest = Digest(try row["digest"] as Data), let layout = Layout(rawValue: try row["layout"]) else {
            throw StorageError(.damaged, "The server's database has a corrupt content row.")
        }
        self.init(digest: digest, size: UInt64(clamping: try row["size"] as Int64), layout: layout)
    }
}

extension PublishedContent {
    fileprivate init(_ row: StorageRow) throws {
        let salt: Data? = try row["salt"]
        let hash: Data? = try row["password"]
        let password = salt.flatMap { salt in hash.map { LinkPassword(salt: salt, hash: $0) } }
        try self.init(
            id: row["id"], account: AccountID(row["account"]), container: containerName(row),
            name: try ItemName(bytes: row["name"] as Data), content: try ContentReference(row), password: password)
    }
}

extension LinkRecord {
    fileprivate init(_ row: StorageRow) throws {
        try self.init(
            id: row["id"], container: try containerName(row), name: try ItemName(bytes: row["name"] as Data),
            size: UInt64(clamping: row["size"] as Int64), created: Timestamp(seconds: row["created"]),
            expires: Timestamp(seconds: row["expires"]), hasPassword: (row["salt"] as Data?) != nil)
    }
}

private func containerName(_ row: StorageRow) throws -> ContainerName {
    guard let name = ContainerName(try row["containerName"] as String) else {
        throw StorageError(.damaged, "The server's database has a container with an invalid name.")
    }
    return name
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await body(self)
    }
}
