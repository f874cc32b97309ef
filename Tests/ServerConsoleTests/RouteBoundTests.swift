import Basics
import Chunking
import CloudModel
import CloudProtocol
import CloudServer
import ContainerLog
import Foundation
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// The maximum response of each route for a large account. An unlisted route has no stated bound, so it fails the test.
@Suite("Bounds of every route", .timeLimit(.minutes(20)))
struct RouteBoundTests {
    /// A response's maximum: bytes, and rows of a table or a list.
    private struct Bound {
        var bytes: Int
        var rows = listSize
        /// The request's path; nil for routes with a status alone as the response, or tested elsewhere.
        var path: String?
    }

    private static let listSize = 200
    private static let page = 256 << 10

    private static func pages(_ large: LargeAccount) -> [String: Bound] {
        let (item, folder) = ("/console/c/CloudDocs/i/\(large.document)", "/console/c/CloudDocs/i/\(large.folder)")
        var pages = [
            "GET /console": "/console/", "GET /console/c/{container}": "/console/c/CloudDocs",
            "GET /console/c/{container}/i/{item}": item,
            "GET /console/c/{container}/conflicts": "/console/c/CloudDocs/conflicts",
            "GET /console/c/{container}/deleted": "/console/c/CloudDocs/deleted",
            "GET /console/c/{container}/deleted/purge": "/console/c/CloudDocs/deleted/purge",
            "GET /console/c/{container}/i/{item}/purge": "\(folder)/purge",
            "GET /console/c/{container}/storage": "/console/c/CloudDocs/storage",
            "GET /console/c/{container}/i/{item}/delete": "\(folder)/delete",
            "GET /console/c/{container}/reset": "/console/c/CloudDocs/reset",
            "GET /console/transfers": "/console/transfers",
            "GET /console/devices": "/console/devices", "GET /console/links": "/console/links",
            "GET /console/accounts": "/console/accounts", "GET /console/accounts/{number}": "/console/accounts/1",
            "GET /console/accounts/{number}/disable": "/console/accounts/2/disable",
            "GET /console/security": "/console/security", "GET /console/sign-in": "/console/sign-in",
        ].mapValues { Bound(bytes: page, path: $0) }
        // The devices and browsers are two lists.
        pages["GET /console/devices"]?.rows = 2 * listSize
        for name in ["style.css", "live.js", "passkey.js", "copy.js"] {
            pages["GET /console/\(name)"] = Bound(bytes: 32 << 10, path: "/console/\(name)")
        }
        return pages
    }

    private static let device: [String: Bound] = [
        "GET /v1/links": Bound(bytes: 128 << 10, path: "/v1/links"),
        "GET /v1/containers": Bound(bytes: 2 << 20, rows: LogStore.maximumContainers, path: "/v1/containers"),
        "GET /v1/containers/{container}/log": Bound(
            bytes: CloudLimits.pageBytes + CloudLimits.entry, rows: CloudLimits.pageEntries,
            path: "/v1/containers/CloudDocs/log?after=0"),
        "GET /v1/news": Bound(
            bytes: CloudLimits.changeFeedLine, rows: LogStore.maximumContainers, path: "/v1/news?after=0&wait=0"),
        "GET /v1/space": Bound(bytes: 1 << 10, path: "/v1/space"),
        "GET /v1/storage": Bound(bytes: 1 << 10, path: "/v1/storage"),
        "GET /v1/cloud": Bound(bytes: 1 << 20, path: "/v1/cloud"),
    ]

    private static let open: [String: Bound] = [
        "GET /": Bound(bytes: 0, path: "/"), "GET /health": Bound(bytes: 1 << 10, path: "/health"),
        "GET /health/live": Bound(bytes: 1 << 10, path: "/health/live"),
        "GET /health/ready": Bound(bytes: 1 << 10, path: "/health/ready"),
        "GET /.well-known/security.txt": Bound(bytes: 1 << 10, path: "/.well-known/security.txt"),
        "GET /p/style.css": Bound(bytes: 32 << 10, path: "/p/style.css"),
    ]

    /// Routes with bounds proven by other tests, and the bound: bytes of a body, names in it, or one changed row.
    private static let elsewhere: Set<String> = [
        // A content, sent a chunk at a time, and metrics, with a line for each account.
        "GET /p/{token}", "HEAD /p/{token}", "POST /p/{token}", "GET /metrics",
        "GET /console/c/{container}/i/{item}/content/{version}",
        "HEAD /console/c/{container}/i/{item}/content/{version}",
        "GET /v1/containers/{container}/chunks/{chunk}",
        // Eight streams of an account.
        "GET /console/events",
        // Bodies of CloudLimits.
        "PUT /v1/containers/{container}/chunks/{chunk}", "POST /v1/containers/{container}/chunks",
        "POST /v1/containers/{container}/missing", "POST /v1/containers/{container}/distrust",
        "POST /v1/containers/{container}/log", "POST /v1/containers/{container}/links",
        // One row.
        "POST /v1/sign-in", "POST /v1/sign-out", "POST /v1/reset", "PUT /v1/cloud", "PUT /v1/containers/{container}",
        "DELETE /v1/links/{number}", "POST /console/sign-in", "POST /console/passkey-sign-in", "POST /console/sign-out",
        "POST /console/c/{container}/i/{item}/versions/{version}/restore",
        "POST /console/c/{container}/i/{item}/publish",
        "POST /console/devices/code", "GET /console/devices/{number}/revoke", "POST /console/devices/{number}/revoke",
        "GET /console/devices/{number}/reset", "POST /console/devices/{number}/reset",
        "POST /console/browsers/{number}/sign-out", "POST /console/links/{number}/withdraw",
        "POST /console/accounts", "POST /console/accounts/{number}/quota", "POST /console/accounts/{number}/code",
        "POST /console/accounts/{number}/disable", "POST /console/accounts/{number}/enable",
        "POST /console/security/app", "POST /console/security/app/confirm", "POST /console/security/app/off",
        "POST /console/security/passkeys", "POST /console/security/passkeys/{number}/remove",
        // Changes in batches of a thousand.
        "POST /console/c/{container}/i/{item}/delete", "POST /console/c/{container}/i/{item}/restore",
        "POST /console/c/{container}/i/{item}/resolve", "POST /console/c/{container}/reset",
        "POST /console/c/{container}/i/{item}/purge", "POST /console/c/{container}/deleted/purge",
        "POST /console/c/{container}/chosen/delete", "POST /console/c/{container}/chosen/delete/confirmed",
        "POST /console/c/{container}/chosen/restore", "POST /console/c/{container}/chosen/purge",
        "POST /console/c/{container}/chosen/purge/confirmed",
    ]

    @Test("every route has a stated bound of rows and bytes, and keeps to it for an account of the largest legal size")
    func bounds() async throws {
        try await withServer { server in
            let large = try await LargeAccount(server)
            let groups = [Self.pages(large), Self.device, Self.open]
            let bounds = groups.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
            let routes = Set(CloudServer(server.store, CloudServerConfiguration(), log: quiet).routes)
            let stated = Set(bounds.keys).union(Self.elsewhere)
            #expect(routes.subtracting(stated).sorted() == [], "routes without a stated bound")
            #expect(stated.subtracting(routes).sorted() == [], "bounds of no route")
            for (route, bound) in bounds.sorted(by: { $0.key < $1.key }) {
                guard let path = bound.path else { continue }
                let answer = try await server.request(
                    .GET, path,
                    headers: [
                        ("Cookie", route.contains("sign-in") ? "" : large.session),
                        ("Authorization", "Bearer \(large.token)"), ("Ubiquity-Protocol", "1"),
                    ])
                #expect(
                    [200, 303, 404].contains(answer.status), "\(route): \(answer.status) \(answer.text.prefix(200))")
                #expect(answer.body.count <= bound.bytes, "\(route) returned \(answer.body.count) bytes")
                let rows = answer.text.matches(of: /<tr>|"id":/).count
                #expect(rows <= bound.rows + 5, "\(route) returned \(rows) rows")
            }
        }
    }

    @Test("a large folder is deleted, and restored, in entries of at most a thousand changes")
    func batches() async throws {
        try await withServer { server in
            let large = try await LargeAccount(server, scale: 20)
            let account = large.account
            let before = try await server.store.changes.latest(of: account).containers["CloudDocs"] ?? 0
            let path = "c/CloudDocs/i/\(large.folder)"
            let shown = try await server.page("\(path)/delete", large.session).text
            #expect(shown.contains("\(large.inside) items in it are deleted with it."))
            let seen = try #require(shown.firstMatch(of: /name="seen" value="(\d+)"/)?.1)
            let answer = try await server.post("\(path)/delete", "seen=\(seen)", from: "\(path)/delete", large.session)
            #expect(answer.status == 303)
            let back = try await server.post("\(path)/restore", from: "c/CloudDocs/deleted", large.session)
            #expect(back.status == 303)
            var counts: [Int] = []
            let page = try await server.store.logs.page(
                of: .cloudDocs, after: LogSequence(before), limit: 1_000, account: account)
            for payload in page.payloads { counts.append(try ChangeBatch(decoding: payload).changes.count) }
            #expect(counts.allSatisfy { $0 <= 1_256 }, "\(counts)")
            #expect(counts.reduce(0, +) == 2 * (large.inside + 1))
        }
    }
}

/// An account with as much of everything as a test has time for.
private struct LargeAccount {
    let account: AccountID
    let session: String
    let token: String
    /// A document with many conflict versions.
    let document: ItemID
    /// A folder with many items.
    let folder: ItemID
    let inside: Int

    /// - Parameter scale: The divisor of all sizes, relative to the bounds' test.
    init(_ server: TestServer, scale: Int = 1) async throws {
        let store = server.store
        let device = try await server.device()
        (token, session) = (device.token, try await server.session())
        account = try await store.accounts.account(named: "anna")
        folder = try await device.makeFolder("many")
        document = try await device.write("contested", "first")
        inside = 10_000 / scale
        try await device.append(
            .create(
                ItemID.random(), parent: .documents, name: try ItemName("plain"), attributes: Self.attributes(60_000),
                body: .folder))
        for start in stride(from: 0, to: inside, by: 10_000) {
            let changes = try (start..<min(start + 10_000, inside)).map { number in
                Change.create(
                    .random(), parent: folder, name: try ItemName("\(number)<&\""), attributes: Self.attributes(0),
                    body: .folder)
            }
            try await device.append(changes)
        }
        try await Self.deleteMany(device, 600 / scale)
        try await Self.contest(document, device, store, account, 400 / scale)
        try await Self.addRows(store, account, scale)
        // However slow the machine is, the requests do not wait for the log.
        _ = try await store.trees.view(of: .cloudDocs, of: account, patience: .seconds(600))
    }

    private static func attributes(_ bytes: Int) -> ItemAttributes {
        ItemAttributes(
            permissions: 0o755, modified: .zero, created: .zero,
            extended: bytes > 0 ? ["user.note": [UInt8](repeating: 7, count: bytes)] : [:])
    }

    private static func deleteMany(_ device: TestDevice, _ count: Int) async throws {
        let ids = (0..<count).map { _ in ItemID.random() }
        try await device.append(
            try ids.enumerated().map { number, id in
                .create(
                    id, parent: .documents, name: try ItemName("gone \(number)"), attributes: attributes(1_000),
                    body: .folder)
            })
        try await device.append(ids.map { .delete($0, base: nil) })
    }

    private static func contest(
        _ item: ItemID, _ device: TestDevice, _ store: ServerStore, _ account: AccountID, _ count: Int
    ) async throws {
        var contents: [ContentReference] = []
        for start in stride(from: 0, to: count, by: 1_000) {
            let parts = (start..<min(start + 1_000, count)).map { number in
                let bytes = Array("version \(number)".utf8)
                contents.append(ContentReference(digest: .of(bytes), size: UInt64(bytes.count), layout: .chunk))
                return ChunkBatch.Part(id: .of(bytes), frame: ChunkFrame.encode(bytes))
            }
            try await store.chunks.put(parts, in: .cloudDocs, of: account)
        }
        try await device.append(contents.map { .edit(item, base: .of([9]), content: .stored($0), modified: .zero) })
    }

    /// Adds accounts, containers, links, devices and browsers, and makes the account an owner.
    private static func addRows(_ store: ServerStore, _ account: AccountID, _ scale: Int) async throws {
        for number in 0..<300 / scale {
            try await store.accounts.add("person \(number) \(String(repeating: "&", count: 100))")
        }
        try await store.accounts.setOwner(true, of: "anna")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 / scale {
                group.addTask {
                    guard let name = ContainerName("com.example.container\(number)") else { return }
                    try await store.logs.createContainer(name, of: account)
                }
            }
            for number in 0..<1_000 / scale {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    _ = try await store.links.add(
                        .random(using: &random), to: ContentReference(digest: .of([]), size: 0, layout: .empty),
                        name: ItemName("link \(number)"), in: .cloudDocs, of: account, lifetime: .seconds(600),
                        password: nil)
                }
            }
            for number in 0..<300 / scale {
                group.addTask {
                    _ = try await store.devices.signIn(
                        code: store.accounts.addCode(for: "anna"), device: "device \(number)")
                    try await store.sessions.openSession(
                        code: store.accounts.addCode(for: "anna"), browser: "browser \(number)",
                        secret: (0..<32).map { _ in UInt8.random(in: 0...255) })
                }
            }
            try await group.waitForAll()
        }
    }
}
