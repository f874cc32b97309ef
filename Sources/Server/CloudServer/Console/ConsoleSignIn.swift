import Basics
import CloudProtocol
import HTTPTypes
import Hummingbird
import Logging
import ServerConsole
import ServerStorage
import Synchronization

/// Signing a browser in and out: a one-time code, as for a device, gives it a session.
final class ConsoleSignIn: Sendable {
    /// Holds what the sign-in form bears as well: a form that another site posts comes without it.
    private static let formCookie = "ubiquity-form"
    private let desk: ConsoleService
    private let limiter = Mutex(SignInLimiter())
    private let start = ContinuousClock.now

    init(_ desk: ConsoleService) { self.desk = desk }

    func show(_ request: Request, _ context: ServerContext) async throws -> Response {
        if try await desk.visit(request, "./") != nil { return .seeOther("./") }
        return form(request, problem: nil, status: .ok)
    }

    private func form(_ request: Request, problem: String?, status: HTTPResponse.Status) -> Response {
        let token = request.cookies[Self.formCookie]?.value ?? random(16)
        let page = PageFrame(root: "./", account: nil, formToken: token).signInPage(problem: problem)
        return .html(
            page, status: status,
            headers: [.setCookie: desk.cookie(Self.formCookie, token, isLasting: false, request)])
    }

    func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        do {
            let fields = FormBody(decoding: try await desk.reader.collect(request, upTo: CloudLimits.json))
            guard let token = fields["token"], token.utf8.count == 32,
                let expected = request.cookies[Self.formCookie]?.value, FormToken.isEqual(token, expected),
                request.isFromHere
            else { return form(request, problem: "The form is too old. Try again.", status: .badRequest) }
            guard limiter.withLock({ $0.allows(context.peerGroup, now: ContinuousClock.now - start) }) else {
                desk.audit.refused("tooMany", context)
                return form(request, problem: "Too many tries; wait a minute.", status: .tooManyRequests)
            }
            guard let code = SignInCode(typed: fields["code"] ?? "") else {
                return form(
                    request, problem: "That is no sign-in code: it has four groups of four letters and digits.",
                    status: .unprocessableContent)
            }
            return try await signIn(code, request, context)
        } catch { return desk.problem(error, "./", context) }
    }

    private func signIn(_ code: SignInCode, _ request: Request, _ context: ServerContext) async throws -> Response {
        let secret = random(32)
        do {
            try await desk.store.openSession(
                code: code, browser: request.headers[.userAgent].map(Self.browser) ?? "a browser",
                secret: Hex.decode(secret) ?? [])
        } catch let error as StorageError {
            guard error.code == .unauthorized else { throw error }
            desk.audit.refused("code", context)
            return form(request, problem: error.message, status: .unprocessableContent)
        }
        if let session = try await desk.store.session(secret: Hex.decode(secret) ?? []) {
            desk.audit.note("browser signed in", context, account: session.accountName)
        }
        return .seeOther(
            "./", headers: [.setCookie: desk.cookie(Request.sessionCookie, secret, isLasting: true, request)])
    }

    func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let answer = try await desk.form { [desk] visit, _, _ in
            _ = try await desk.store.endSession(visit.session.id, of: visit.account)
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

    /// What a person calls it: `Firefox on Linux`. Each names those that it descends from, so the youngest comes first.
    private static func browser(_ agent: String) -> String {
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
