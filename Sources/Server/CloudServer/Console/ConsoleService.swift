import Basics
import CloudModel
import CloudProtocol
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServerConsole
import ServerStorage
import Synchronization

/// Shared by all console pages: access control and the form of responses.
struct ConsoleService: Sendable {
    let store: ServerStore
    let reader: BodyReader
    let budget: MemoryBudget
    /// For pages and their contents; separate from downloads, so slow readers of those hold up no page.
    let pageBudget = MemoryBudget(limit: 64 << 20)
    let board: TransferBoard
    let audit: Audit
    /// Whether this server itself speaks TLS.
    let isEncrypted: Bool
    /// The address at which people reach the server, if its owner has configured it.
    let publicURL: String?
    /// How long deleted items stay.
    let retention: Retention
    /// Wrong second factors of sessions, by account, so a stolen session cannot be used to guess them.
    let factorAttempts: AttemptLimiter

    var trees: ContainerTrees { store.trees }

    /// Whether only the sessions of owners are admitted; the pages look absent to all others.
    private(set) var isForOwners = false

    /// The same for the pages of owners.
    var forOwners: ConsoleService {
        var copy = self
        copy.isForOwners = true
        return copy
    }

    /// A request from a signed-in browser.
    struct Visit: Sendable {
        let session: ConsoleSession
        let frame: PageFrame
        /// The browser's origin, for passkeys; nil if browsers do not offer passkeys there.
        let origin: WebOrigin?
        /// The server's address for devices and links; nil if it is unknown.
        let address: String?

        var account: AccountID { session.account }
    }

    /// A handler of the router.
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    /// Returns a handler that shows a page to signed-in browsers, and redirects all others to the sign-in.
    func page(
        _ body: @escaping @Sendable (Visit, Request, ServerContext) async throws -> HTML
    ) -> Handler {
        answer { visit, request, context in
            try await inTurn(visit, context) { try await body(visit, request, context) }
        }
    }

    /// Creates a page when it is the account's turn, with memory reserved for its rows; the response keeps the part
    /// that it needs.
    private func inTurn(
        _ visit: Visit, _ context: ServerContext, _ body: @Sendable () async throws -> HTML
    ) async throws -> Response {
        try await store.pages.run(for: visit.account) {
            let grant = try await MemoryGrant(PageTurns.memory, of: visit.account, in: pageBudget)
            let page = Array(try await body().description.utf8)
            grant.shrink(to: page.count)
            return .bytes(page, holding: grant, context, type: Response.htmlType, headers: Response.htmlFields)
        }
    }

    /// Like ``page(_:)``, for responses other than pages.
    func answer(
        _ body: @escaping @Sendable (Visit, Request, ServerContext) async throws -> Response
    ) -> Handler {
        { request, context in
            let root = PageFrame.root(ofPath: request.consolePath)
            do {
                guard let visit = try await visit(request, root, context) else {
                    return .seeOther("\(root)sign-in")
                }
                guard !isForOwners || visit.session.isOwner else {
                    throw CloudFailure(.notFound, "There is nothing at this path.")
                }
                return try await body(visit, request, context)
            } catch { return problem(error, root, context) }
        }
    }

    /// Returns a handler for a form posted by a console page. `body` returns the page to go to next, relative to the
    /// console's first page.
    func form(
        _ body: @escaping @Sendable (Visit, FormBody, ServerContext) async throws -> String
    ) -> Handler {
        answer { visit, request, context in
            let fields = try await fields(of: request, visit)
            let next = try await store.pages.run(for: visit.account) {
                let grant = try await MemoryGrant(PageTurns.memory, of: visit.account, in: pageBudget)
                defer { withExtendedLifetime(grant) {} }
                return try await body(visit, fields, context)
            }
            return .seeOther(visit.frame.root + next)
        }
    }

    /// Like ``form(_:)``, for pages shown only once, in the response to the form.
    func formPage(
        _ body: @escaping @Sendable (Visit, FormBody, ServerContext) async throws -> HTML
    ) -> Handler {
        answer { visit, request, context in
            let fields = try await fields(of: request, visit)
            return try await inTurn(visit, context) { try await body(visit, fields, context) }
        }
    }

    private func fields(of request: Request, _ visit: Visit) async throws -> FormBody {
        let fields = FormBody(decoding: try await reader.collect(request, upTo: CloudLimits.json))
        guard let token = fields["token"], FormToken.isEqual(token, visit.frame.formToken), request.isFromHere else {
            throw CloudFailure(
                .invalidRequest,
                "The form has expired or was not sent from this console. Go back, reload the page and try again.")
        }
        return fields
    }

    /// Returns the browser's origin, for passkeys, or nil if the browser offers none there. A passkey belongs to the
    /// domain found here, so a client gains nothing by inventing one.
    func origin(_ request: Request, _ context: ServerContext) -> WebOrigin? {
        publicURL.flatMap { WebOrigin($0) } ?? Self.asked(request, context).flatMap { WebOrigin($0) }
    }

    /// Returns the server's address for devices: the configured address, or the one in the browser's request. It becomes
    /// part of a command for a shell.
    private func address(_ request: Request, _ context: ServerContext) -> String? {
        // Without a valid address the page shows a placeholder.
        let address = (publicURL ?? Self.asked(request, context)).flatMap { try? ServerAddress($0) }?.description
        let isPlain = address?.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || "0123456789.:/-_[]".unicodeScalars.contains($0)
        }
        return isPlain ?? false ? address : nil
    }

    private static func asked(_ request: Request, _ context: ServerContext) -> String? {
        request.head.authority.map { "\(context.isEncrypted ? "https" : "http")://\($0)" }
    }

    func visit(_ request: Request, _ root: String, _ context: ServerContext) async throws -> Visit? {
        guard let secret = request.sessionSecret, let session = try await store.sessions.session(secret: secret) else {
            return nil
        }
        let notice = request.uri.queryParameters["done"].flatMap { Notice(rawValue: String($0)) }
        let frame = PageFrame(
            root: root, account: session.accountName, isOwner: session.isOwner, formToken: FormToken.of(secret),
            notice: notice)
        return Visit(
            session: session, frame: frame, origin: origin(request, context), address: address(request, context))
    }

    /// Returns a page that shows an error. Its message contains no names.
    func problem(_ error: any Error, _ root: String, _ context: ServerContext) -> Response {
        let failure = Refusals.failure(of: error)
        if failure.code == .failed, !(error is StorageError) {
            context.logger.error("a page failed", metadata: ["error": "\(error)"])
        }
        return .problem(failure, root: root)
    }

    /// Returns a cookie, restricted to encrypted connections only if this connection is encrypted, here or at a proxy.
    func cookie(_ name: String, _ value: String, isLasting: Bool, _ request: Request) -> String {
        let isSecure = isEncrypted || request.headers[.forwardedProtocol] == "https"
        let age = isLasting ? "; Max-Age=\(SessionStore.sessionLifetime.components.seconds)" : ""
        // Without a path the cookie applies to the folder of the page: the console, wherever a proxy puts it.
        return "\(name)=\(value); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")\(age)"
    }
}

extension HTTPField.Name {
    // The names are tokens of RFC 9110, so these are never nil.
    static let forwardedProtocol = HTTPField.Name("X-Forwarded-Proto")!
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let robots = HTTPField.Name("X-Robots-Tag")!
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}

extension Request {
    static let sessionCookie = "ubiquity-console"

    /// The path below `console/`.
    var consolePath: Substring {
        uri.path.dropFirst("/console/".count)[...]
    }

    var sessionSecret: [UInt8]? {
        guard let text = cookies[Self.sessionCookie]?.value, text.utf8.count == 64 else { return nil }
        return Hex.decode(text)
    }

    /// From the requested page to the console's first page.
    var consoleRoot: String { "\(PageFrame.root(ofPath: uri.path.dropFirst()))console/" }

    /// Whether a person reads the response: browsers ask for pages, programs do not.
    var isFromBrowser: Bool {
        !uri.path.hasPrefix("/v1/") && headers[.accept]?.contains("text/html") ?? false
    }

    /// Whether the request comes from the console's own site. Browsers say so (Fetch Metadata, 2.3); for all others,
    /// the form's token is the only check.
    var isFromHere: Bool { headers[.fetchSite].map { $0 == "same-origin" || $0 == "none" } ?? true }
}

extension Response {
    /// Permits only the console's style and script in a page, and forbids framing by foreign sites.
    static let pagePolicy = """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; \
        frame-ancestors 'none'; base-uri 'none'
        """

    static let htmlType = "text/html; charset=utf-8"
    static let htmlFields: HTTPFields = [
        .contentSecurityPolicy: pagePolicy, .contentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        .openerPolicy: "same-origin", .cacheControl: "no-store",
    ]

    static func html(_ page: HTML, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:]) -> Response {
        var headers = extra
        for field in htmlFields { headers[field.name] = field.value }
        headers[.contentType] = htmlType
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.description)))
    }

    /// A page that shows a failure.
    static func problem(_ failure: CloudFailure, root: String, headers: HTTPFields = [:]) -> Response {
        let frame = PageFrame(root: root, account: nil, formToken: "")
        let title = failure.code == .notFound ? "Not found" : "The request failed"
        return .html(
            frame.problemPage(title, failure.message), status: HTTPResponse.Status(code: failure.code.status),
            headers: headers)
    }

    /// Redirects to another page, to be fetched with GET.
    static func seeOther(_ place: String, headers extra: HTTPFields = [:]) -> Response {
        var headers = extra
        headers[.location] = place
        headers[.cacheControl] = "no-store"
        return Response(status: .seeOther, headers: headers)
    }

    static func asset(_ text: String, type: String) -> Response {
        let headers: HTTPFields = [
            .contentType: "\(type); charset=utf-8", .cacheControl: "max-age=600", .contentTypeOptions: "nosniff",
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
