import Basics
import CloudProtocol
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// The pages about the account's authenticator app and passkeys, and sign-in codes for its devices.
extension ConsoleRoutes {
    func security(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let factor: ShownSecondFactor =
            switch try await service.store.accounts.secondFactor(of: visit.account) {
            case .off: .off
            case .settingUp(let password):
                .settingUp(
                    address: password.address(
                        account: visit.session.accountName,
                        issuer: visit.origin?.domain ?? "Ubiquity"),
                    secret: password.text)
            case .on(let count): .on(recoveryCodes: count)
            }
        let passkeys = try await service.store.sessions.passkeys(ofAccount: visit.session.accountName).map {
            ShownPasskey(number: $0.id, name: $0.name, created: $0.created, used: $0.used)
        }
        return visit.frame.securityPage(factor, passkeys, try await offer(visit))
    }

    private func offer(_ visit: ConsoleService.Visit) async throws -> PasskeyOffer? {
        guard let origin = visit.origin else { return nil }
        let challenge = try await service.challenges().make(for: visit.challengeHolder, now: service.now)
        return PasskeyOffer(
            challenge: Base64URL.encode(challenge), domain: origin.domain,
            user: Base64URL.encode(try await service.store.sessions.userHandle(of: visit.account)),
            userName: visit.session.accountName,
            known: try await service.store.sessions.credentials(of: visit.account).map { Base64URL.encode($0) })
    }

    func beginSecondFactor(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        try await service.store.accounts.beginSecondFactor(of: visit.account)
        return "security"
    }

    func confirmSecondFactor(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        try await service.limitFactors(visit, context)
        let codes = try await service.store.accounts.confirmSecondFactor(fields["factor"] ?? "", of: visit.account)
        // A thief with another session does not have the app.
        try await service.store.sessions.endOthers(than: visit.session.id, of: visit.account)
        service.audit.note("second factor turned on", context, account: visit.session.accountName)
        return visit.frame.recoveryCodesPage(codes.map(\.description))
    }

    func endSecondFactor(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        try await service.limitFactors(visit, context)
        try await service.refusing("secondFactor", context) {
            try await service.store.accounts.endSecondFactor(of: visit.account, code: fields["factor"] ?? "")
        }
        service.audit.note("second factor turned off", context, account: visit.session.accountName)
        return "security?done=\(Notice.factorOff.rawValue)"
    }

    func addPasskey(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        guard let challenge = Base64URL.decode(fields["challenge"] ?? ""),
            try await service.challenges().isValid(challenge, for: visit.challengeHolder, now: service.now),
            let origin = visit.origin
        else { throw CloudFailure(.invalidRequest, "The page has expired. Reload it and try again.") }
        let passkey: PasskeyRegistration
        do {
            passkey = try PasskeyRegistration(
                clientData: Base64URL.decode(fields["clientData"] ?? "") ?? [],
                attestation: Base64URL.decode(fields["attestation"] ?? "") ?? [], challenge: challenge, origin: origin)
        } catch { throw Self.refusal(of: error) }
        // A stolen session must not leave a way in behind.
        try await service.requireFactor(fields, visit, context)
        try await service.store.sessions.addPasskey(
            passkey, challenge: challenge, of: visit.account, domain: origin.domain, name: fields["name"] ?? "")
        service.audit.note("passkey added", context, account: visit.session.accountName)
        return "security?done=\(Notice.passkeyAdded.rawValue)"
    }

    func removePasskey(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let number = try context.number()
        try await service.requireFactor(fields, visit, context)
        guard try await service.store.sessions.removePasskey(number, of: visit.account) else {
            throw CloudFailure(.notFound, "There is no such passkey; it may have been removed in the meantime.")
        }
        service.audit.note(
            "passkey removed", context, account: visit.session.accountName, ["passkey": "\(number)"])
        return "security?done=\(Notice.passkeyRemoved.rawValue)"
    }

    /// Creates a sign-in code for another device of the account.
    func makeCode(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        guard let scope = DeviceScope(rawValue: fields["scope"] ?? "") else {
            throw CloudFailure(.invalidRequest, "There is no such scope.")
        }
        let text = fields["expires"] ?? ""
        let seconds = DeviceGrant.seconds(text)
        guard text.isEmpty || seconds != nil else {
            throw CloudFailure(.invalidRequest, "'\(text)' is not a time such as 12h, 30d or 4w.")
        }
        let grant = DeviceGrant(scope: scope, expires: seconds.map { service.now + $0 })
        let code = try await service.store.accounts.addCode(for: visit.session.accountName, grant: grant)
        service.audit.note(
            "code made in the console", context, account: visit.session.accountName, ["scope": "\(scope.rawValue)"])
        var limits: [HTML] = ["It signs one device in, within a day."]
        if scope == .read { limits.append("The device may read, but not change anything.") }
        if let expires = grant.expires {
            limits.append("The device's access ends on \(Shown.time(Timestamp(seconds: expires))) UTC.")
        }
        return visit.frame.deviceCodePage(code.description, limits: limits, address: visit.address)
    }

    private static func refusal(of problem: PasskeyProblem) -> CloudFailure {
        switch problem {
        case .notVerified:
            CloudFailure(
                .invalidRequest, "The passkey has not verified you, for example with a PIN or a fingerprint.")
        case .otherAlgorithm:
            CloudFailure(.invalidRequest, "The passkey does not sign with ES256, which this server needs.")
        case .otherChallenge: CloudFailure(.invalidRequest, "The page has expired. Reload it and try again.")
        case .otherOrigin:
            CloudFailure(
                .invalidRequest,
                "The browser used another address than the server's --public-url, or than the one that its proxy reports."
            )
        default: CloudFailure(.invalidRequest, "The passkey was not accepted.")
        }
    }
}

extension ConsoleService {
    /// Seconds since 1970 UTC.
    var now: Int64 { store.time.now().split.seconds }

    func challenges() async throws -> PasskeyChallenges { try await store.sessions.challenges() }

    /// Requires a second factor from an account that has one, before an act forbidden to a stolen session.
    func requireFactor(_ fields: FormBody, _ visit: Visit, _ context: ServerContext) async throws {
        guard try await asksFactor(visit) else { return }
        try await limitFactors(visit, context)
        try await refusing("secondFactor", context) {
            try await store.accounts.requireSecondFactor(fields["factor"] ?? "", of: visit.account)
        }
    }

    func asksFactor(_ visit: Visit) async throws -> Bool {
        if case .on = try await store.accounts.secondFactor(of: visit.account) { true } else { false }
    }

    func limitFactors(_ visit: Visit, _ context: ServerContext) async throws {
        guard try await factorAttempts.allows("\(visit.account.value)") else {
            audit.refused("tooMany", context)
            throw CloudFailure(.busy, "Too many attempts; wait a minute.")
        }
    }

    func refusing(_ reason: String, _ context: ServerContext, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as StorageError {
            if error.code == .secondFactor { audit.refused(reason, context) }
            throw error
        }
    }
}

extension ConsoleService.Visit {
    /// The holder of the challenges for the account's pages: this session.
    var challengeHolder: String { "session \(frame.formToken)" }
}
