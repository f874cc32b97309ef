import Basics
import CloudProtocol
import HTTPTypes
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// Signs browsers in and out. A one-time code, as for a device, or a passkey gives a browser a session.
final class ConsoleSignIn: Sendable {
    /// The cookie with the sign-in form's token. A form posted by a foreign site comes without it.
    private static let formCookie = "ubiquity-form"
    private let service: ConsoleService
    private let attempts: AttemptLimiter

    init(_ service: ConsoleService) {
        self.service = service
        attempts = AttemptLimiter("browser", service.store)
    }

    func show(_ request: Request, _ context: ServerContext) async throws -> Response {
        if try await service.visit(request, "./", context) != nil { return .seeOther("./") }
        return try await form(request, context, problem: nil, status: .ok)
    }

    private func form(
        _ request: Request, _ context: ServerContext, problem: String?, status: HTTPResponse.Status
    ) async throws -> Response {
        let token = request.cookies[Self.formCookie]?.value ?? random(16)
        var offer: PasskeyOffer?
        if let origin = service.origin(request, context) {
            let challenge = try await service.challenges().make(for: Self.holder(token), now: service.now)
            offer = PasskeyOffer(challenge: Base64URL.encode(challenge), domain: origin.domain)
        }
        let page = PageFrame(root: "./", account: nil, formToken: token).signInPage(problem: problem, offer: offer)
        return self.page(page, token, request, status: status)
    }

    private func page(_ page: HTML, _ token: String, _ request: Request, status: HTTPResponse.Status) -> Response {
        .html(
            page, status: status,
            headers: [.setCookie: service.cookie(Self.formCookie, token, isLasting: false, request)])
    }

    /// Returns the holder of the sign-in page's challenges: the browser with this cookie.
    private static func holder(_ token: String) -> String { "sign-in \(token)" }

    /// Returns the fields of the sign-in form, checked to come from the browser to which it was shown, and within the
    /// bound on attempts.
    private func fields(_ request: Request, _ context: ServerContext) async throws(Refusal) -> FormBody {
        let body: [UInt8]
        do { body = try await service.reader.collect(request, upTo: CloudLimits.json) } catch { throw .error(error) }
        let fields = FormBody(decoding: body)
        guard let token = fields["token"], token.utf8.count == 32,
            let expected = request.cookies[Self.formCookie]?.value, FormToken.isEqual(token, expected),
            request.isFromHere
        else { throw .form("The form has expired. Try again.", .badRequest) }
        let isAllowed: Bool
        do { isAllowed = try await attempts.allows(context.peerGroup) } catch { throw .error(error) }
        guard isAllowed else {
            service.audit.refused("tooMany", context)
            throw .form("Too many attempts; wait a minute.", .tooManyRequests)
        }
        return fields
    }

    /// Why no session was opened, and whether the form is shown again.
    private enum Refusal: Error {
        case form(String, HTTPResponse.Status)
        case error(any Error)
    }

    private func answering(
        _ request: Request, _ context: ServerContext, _ body: (FormBody) async throws -> Response
    ) async -> Response {
        do { return try await body(try await fields(request, context)) } catch Refusal.form(let problem, let status) {
            do { return try await form(request, context, problem: problem, status: status) } catch {
                return service.problem(error, "./", context)
            }
        } catch Refusal.error(let error) {
            return service.problem(error, "./", context)
        } catch { return service.problem(error, "./", context) }
    }

    func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        await answering(request, context) { fields in
            guard let code = SignInCode(typed: fields["code"] ?? "") else {
                throw Refusal.form(
                    "This is not a sign-in code, which has four groups of four letters and digits.",
                    .unprocessableContent)
            }
            let secret = random(32)
            let factor = fields["factor"]
            do {
                try await service.store.sessions.openSession(
                    code: code, secondFactor: factor, browser: Self.browser(request),
                    secret: Hex.decode(secret) ?? [])
            } catch let error as StorageError where error.code == .secondFactor {
                if factor != nil { service.audit.refused("secondFactor", context) }
                let token = fields["token"] ?? ""
                let page = PageFrame(root: "./", account: nil, formToken: token).secondFactorPage(
                    code: code.description, problem: factor == nil ? nil : error.message)
                return self.page(page, token, request, status: factor == nil ? .ok : .unprocessableContent)
            } catch let error as StorageError where error.code == .unauthorized {
                service.audit.refused("code", context)
                throw Refusal.form(error.message, .unprocessableContent)
            }
            return try await signedIn(secret, "code", request, context)
        }
    }

    func signInWithPasskey(_ request: Request, _ context: ServerContext) async throws -> Response {
        await answering(request, context) { fields in
            func bytes(_ name: String) -> [UInt8] { Base64URL.decode(fields[name] ?? "") ?? [] }
            let challenge = bytes("challenge")
            guard let origin = service.origin(request, context),
                try await service.challenges().isValid(
                    challenge, for: Self.holder(fields["token"] ?? ""), now: service.now)
            else { throw Refusal.form("The page has expired. Try again.", .unprocessableContent) }
            let passkey = PasskeyAssertion(
                credential: bytes("credential"), clientData: bytes("clientData"),
                authenticatorData: bytes("authenticatorData"), signature: bytes("signature"),
                userHandle: bytes("userHandle"))
            let secret = random(32)
            do {
                try await service.store.sessions.openSession(
                    passkey: passkey, challenge: challenge, origin: origin, browser: Self.browser(request),
                    secret: Hex.decode(secret) ?? [])
            } catch let error as StorageError where error.code == .unauthorized {
                service.audit.refused("passkey", context, error.cause.map { ["problem": "\($0)"] } ?? [:])
                throw Refusal.form(error.message, .unprocessableContent)
            }
            return try await signedIn(secret, "passkey", request, context)
        }
    }

    private func signedIn(
        _ secret: String, _ method: String, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        if let session = try await service.store.sessions.session(secret: Hex.decode(secret) ?? []) {
            service.audit.note("browser signed in", context, account: session.accountName, ["by": "\(method)"])
        }
        return .seeOther(
            "./", headers: [.setCookie: service.cookie(Request.sessionCookie, secret, isLasting: true, request)])
    }

    func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let answer = try await service.form { [service] visit, _, _ in
            _ = try await service.store.sessions.endSession(visit.session.id, of: visit.account)
            return "sign-in"
        }(request, context)
        guard answer.status == .seeOther else { return answer }
        var headers = answer.headers
        headers[.setCookie] = "\(Request.sessionCookie)=; Max-Age=0; HttpOnly; SameSite=Strict"
        return Response(status: .seeOther, headers: headers)
    }

    private func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.encode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Returns a name for the browser, such as `Firefox on Linux`. A browser's agent string also names its ancestors,
    /// so the youngest comes first.
    private static func browser(_ request: Request) -> String {
        guard let agent = request.headers[.userAgent] else { return "a browser" }
        let programs = [
            ("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
        ]
        let systems = [
            ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
            ("Linux", "Linux"),
        ]
        let program = programs.first { agent.contains($0.0) }?.1 ?? "A browser"
        return systems.first { agent.contains($0.0) }.map { "\(program) on \($0.1)" } ?? program
    }
}
