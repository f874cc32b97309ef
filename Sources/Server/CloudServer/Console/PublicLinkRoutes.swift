import CloudModel
import CloudProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServerConsole
import ServerStorage
import Synchronization

/// Routes for published documents, for everyone with the address. Links that never existed, were withdrawn or have
/// expired look the same.
final class PublicLinkRoutes: Sendable {
    private static let maximumProven = 1_000
    private let store: ServerStore
    private let reader: BodyReader
    private let budget: MemoryBudget
    private let audit: Audit
    private let isEncrypted: Bool
    /// Digests of correct passwords, so a client sending one with each request does not have to wait each time.
    private let proven = Mutex<Set<String>>([])
    private let passwordAttempts: AttemptLimiter
    private let tokenAttempts: AttemptLimiter
    private let slots = ResponseSlots()

    init(_ store: ServerStore, _ reader: BodyReader, _ budget: MemoryBudget, _ audit: Audit, isEncrypted: Bool) {
        self.store = store
        self.reader = reader
        self.budget = budget
        self.audit = audit
        self.isEncrypted = isEncrypted
        passwordAttempts = AttemptLimiter("link password", store)
        tokenAttempts = AttemptLimiter("link", store)
    }

    func add(to router: Router<ServerContext>) {
        let links = router.group("p")
        links.get("style.css") { _, _ in Response.asset(Stylesheet.text, type: "text/css") }
        links.get(":token", use: get)
        links.head(":token", use: get)
        links.post(":token", use: post)
    }

    func get(_ request: Request, _ context: ServerContext) async throws -> Response {
        do {
            guard let (token, link) = try await find(context) else { return try await absent(context) }
            guard link.needsPassword else { return try await document(link, token, request, context) }
            if let cookie = request.cookies[Self.cookie(of: link)]?.value,
                FormToken.isEqual(cookie, store.links.pass(of: link, token: token))
            {
                return try await document(link, token, request, context)
            }
            guard let password = Self.basicPassword(request) else { return challenge(request) }
            switch try await isRight(password, link, token, context) {
            case true?: return try await document(link, token, request, context)
            case false?: return challenge(request)
            case nil: return Self.busy
            }
        } catch { return .html(LinkPages.absent, status: Self.status(of: error), headers: [.robots: "noindex"]) }
    }

    /// Handles the form of a link with a password.
    func post(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let (token, link) = try await find(context), link.needsPassword else { return try await absent(context) }
        let fields = FormBody(decoding: try await reader.collect(request, upTo: CloudLimits.json))
        switch try await isRight(fields["password"] ?? "", link, token, context) {
        case true?:
            let isSecure = isEncrypted || request.headers[.forwardedProtocol] == "https"
            // Lax, so following the link from an e-mail does not require typing the password again.
            let cookie =
                "\(Self.cookie(of: link))=\(store.links.pass(of: link, token: token)); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
            return .seeOther(token.text, headers: [.setCookie: cookie])
        case false?: return .html(LinkPages.password(isWrong: true), status: .forbidden)
        case nil: return Self.busy
        }
    }

    private func find(_ context: ServerContext) async throws -> (LinkToken, PublishedContent)? {
        guard let token = context.parameters.get("token").flatMap({ LinkToken($0) }),
            let link = try await store.links.link(token)
        else { return nil }
        return (token, link)
    }

    /// Answers with a page for people, titled by the document's name, and with the document itself for programs, for
    /// the page's own elements, and for its download.
    private func document(
        _ link: PublishedContent, _ token: LinkToken, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard request.isFromBrowser, request.headers[.range] == nil, request.uri.queryParameters["content"] == nil
        else {
            return try await content(link, request, context)
        }
        let page = LinkPages.document(
            link.name, size: link.content.size, content: "\(token.text)?content=1",
            preview: MediaType.preview(of: link.name))
        var response = Response.html(page, headers: [.robots: "noindex"])
        response.headers[.contentSecurityPolicy] = Self.pagePolicy
        return response
    }

    /// Permits only the style and the document itself in the page.
    private static let pagePolicy = """
        default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; frame-ancestors 'none'; \
        base-uri 'none'; form-action 'none'
        """

    private func content(
        _ link: PublishedContent, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let source = ContentReader(
            store: store, budget: budget, account: link.account, container: link.container, content: link.content)
        var headers: HTTPFields = [
            .cacheControl: "private, no-cache", .contentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            .robots: "noindex",
        ]
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox"
        guard let slot = slots.take(link.id, address: context.peerGroup) else { return Self.busy }
        let response = try await source.answer(
            request, context, name: link.name, isInline: true, headers: headers, holding: slot)
        // A request for a part is not logged as a separate download.
        if response.status == .ok, request.method == .get {
            await audit.note("downloaded by link", context, account: link.account, ["link": "\(link.id)"])
        }
        return response
    }

    /// Returns nil if there were too many attempts.
    private func isRight(
        _ password: String, _ link: PublishedContent, _ token: LinkToken, _ context: ServerContext
    ) async throws -> Bool? {
        let mark = FormToken.of(Array("\(store.links.pass(of: link, token: token)) \(password)".utf8))
        if proven.withLock({ $0.contains(mark) }) { return true }
        guard try await passwordAttempts.allows("\(link.id) \(context.peerGroup)") else { return nil }
        do {
            guard try await store.links.isPassword(password, of: link) else {
                audit.refused("password", context, ["link": "\(link.id)"])
                return false
            }
        } catch let error as StorageError where error.code == .busy { return nil }
        proven.withLock { proven in
            if proven.count >= Self.maximumProven { proven = [] }
            proven.insert(mark)
        }
        return true
    }

    /// Asks for the password: browsers get a form, all other programs a challenge as in RFC 7617.
    private func challenge(_ request: Request) -> Response {
        let isWrong = Self.basicPassword(request) != nil
        guard !request.isFromBrowser else { return .html(LinkPages.password(isWrong: isWrong), status: .forbidden) }
        return .html(
            LinkPages.password(isWrong: isWrong), status: .unauthorized,
            headers: [.wwwAuthenticate: "Basic realm=\"published document\", charset=\"UTF-8\""])
    }

    private func absent(_ context: ServerContext) async throws -> Response {
        try await tokenAttempts.allows(context.peerGroup)
            ? .html(LinkPages.absent, status: .notFound, headers: [.robots: "noindex"]) : Self.busy
    }

    private static var busy: Response {
        .html(LinkPages.busy, status: .tooManyRequests, headers: [.retryAfter: "60"])
    }

    private static func status(of error: any Error) -> HTTPResponse.Status {
        HTTPResponse.Status(code: Refusals.failure(of: error).code.status)
    }

    private static func cookie(of link: PublishedContent) -> String { "ubiquity-link-\(link.id)" }

    /// Returns the password of `Authorization: Basic`, regardless of the user name.
    private static func basicPassword(_ request: Request) -> String? {
        guard let field = request.headers[.authorization], field.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6)))
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) }
    }
}
