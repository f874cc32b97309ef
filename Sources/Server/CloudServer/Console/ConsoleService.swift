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

/// What all pages of the console share: who may see them, and how they are answered.
struct ConsoleService: Sendable {
    let store: ServerStore
    let trees: ContainerTrees
    let reader: BodyReader
    let budget: MemoryBudget
    let board: TransferBoard
    let audit: Audit
    /// Whether this server itself speaks TLS.
    let isEncrypted: Bool
    /// By which address browsers reach the console, where the server's owner has said so.
    let publicOrigin: WebOrigin?
    let challenges = PasskeyChallenges()
    /// Wrong second factors of sessions, by account: a stolen session must not guess them.
    let factorAttempts = AttemptLimiter()

    /// A request of a browser that is signed in.
    struct Visit: Sendable {
        let session: ConsoleSession
        let frame: PageFrame
        /// Where its browser is, for passkeys; nil where browsers offer none.
        let origin: WebOrigin?

        var account: AccountID { session.account }
    }

    /// What a form's post is: the visit, and the fields.
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    /// A page for those who are signed in; others are sent to the sign-in.
    func page(
        _ body: @escaping @Sendable (Visit, Request, ServerContext) async throws -> HTML
    ) -> Handler {
        answer { visit, request, context in .html(try await body(visit, request, context)) }
    }

    /// Like ``page(_:)``, for responses that are not pages.
    func answer(
        _ body: @escaping @Sendable (Visit, Request, ServerContext) async throws -> Response
    ) -> Handler {
        { request, context in
            let root = PageFrame.root(ofPath: request.consolePath)
            do {
                guard let visit = try await visit(request, root, context) else {
                    return .seeOther("\(root)sign-in")
                }
                return try await body(visit, request, context)
            } catch { return problem(error, root, context) }
        }
    }

    /// A form that was posted by one of our own pages; `body` returns where to go on, from the console's first page.
    func form(
        _ body: @escaping @Sendable (Visit, FormBody, ServerContext) async throws -> String
    ) -> Handler {
        answer { visit, request, context in
            let fields = try await fields(of: request, visit)
            return .seeOther(visit.frame.root + (try await body(visit, fields, context)))
        }
    }

    /// Like ``form(_:)``, for what is shown once, in the response to the form.
    func formPage(
        _ body: @escaping @Sendable (Visit, FormBody, ServerContext) async throws -> HTML
    ) -> Handler {
        answer { visit, request, context in
            let fields = try await fields(of: request, visit)
            return .html(try await body(visit, fields, context))
        }
    }

    private func fields(of request: Request, _ visit: Visit) async throws -> FormBody {
        let fields = FormBody(decoding: try await reader.collect(request, upTo: CloudLimits.json))
        guard let token = fields["token"], FormToken.isEqual(token, visit.frame.formToken), request.isFromHere else {
            throw CloudFailure(
                .invalidRequest, "The form is too old or not ours. Go back, reload the page and try again.")
        }
        return fields
    }

    /// Where the browser is, for passkeys; nil where it offers none. A passkey belongs to the domain that is found here, so a client that
    /// invents one gets nothing by it.
    func origin(_ request: Request, _ context: ServerContext) -> WebOrigin? {
        if let publicOrigin { return publicOrigin }
        return request.head.authority.flatMap { WebOrigin("\(context.isEncrypted ? "https" : "http")://\($0)") }
    }

    func visit(_ request: Request, _ root: String, _ context: ServerContext) async throws -> Visit? {
        guard let secret = request.sessionSecret, let session = try await store.sessions.session(secret: secret) else {
            return nil
        }
        let notice = request.uri.queryParameters["done"].flatMap { Notice(rawValue: String($0)) }
        let frame = PageFrame(
            root: root, account: session.accountName, formToken: FormToken.of(secret), notice: notice)
        return Visit(session: session, frame: frame, origin: origin(request, context))
    }

    /// An error as a page. What it says has no names in it.
    func problem(_ error: any Error, _ root: String, _ context: ServerContext) -> Response {
        let failure = Refusals.failure(of: error)
        if failure.code == .failed, !(error is StorageError) {
            context.logger.error("a page failed", metadata: ["error": "\(error)"])
        }
        let frame = PageFrame(root: root, account: nil, formToken: "")
        let title = failure.code == .notFound ? "Not there" : "That did not work"
        let page = frame.problemPage(title, failure.message)
        return .html(page, status: HTTPResponse.Status(code: failure.code.status))
    }

    /// Cookies are for encrypted connections only where this is one, here or at a proxy.
    func cookie(_ name: String, _ value: String, isLasting: Bool, _ request: Request) -> String {
        let isSecure = isEncrypted || request.headers[.forwardedProtocol] == "https"
        let age = isLasting ? "; Max-Age=\(SessionStore.sessionLifetime.components.seconds)" : ""
        // Without a path it is for the folder of the page: the console, wherever a proxy puts it.
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

    /// The path below `console/`, wherever that is.
    var consolePath: Substring {
        uri.path.dropFirst("/console/".count)[...]
    }

    var sessionSecret: [UInt8]? {
        guard let text = cookies[Self.sessionCookie]?.value, text.utf8.count == 64 else { return nil }
        return Hex.decode(text)
    }

    /// Browsers say where a request comes from (Fetch Metadata, 2.3); one that does not say has the form's token alone.
    var isFromHere: Bool { headers[.fetchSite].map { $0 == "same-origin" || $0 == "none" } ?? true }
}

extension Response {
    /// Nothing but our own style and script runs in a page, and no other site may show it in a frame.
    static let pagePolicy = """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; \
        frame-ancestors 'none'; base-uri 'none'
        """

    static func html(_ page: HTML, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:]) -> Response {
        var headers = extra
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = pagePolicy
        headers[.contentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.openerPolicy] = "same-origin"
        headers[.cacheControl] = "no-store"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.description)))
    }

    /// Goes on at another page with GET.
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
