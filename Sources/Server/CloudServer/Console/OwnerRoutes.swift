import Basics
import CloudProtocol
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// The pages on which owners manage the accounts of the server. An owner sees figures of an account, and nothing of its
/// contents. To all others the pages look absent.
///
/// Every act requires a second factor from an owner who has one: a code for an account opens all that the account has.
struct OwnerRoutes: Sendable {
    private let service: ConsoleService

    init(_ service: ConsoleService) { self.service = service.forOwners }

    func add(to router: RouterGroup<ServerContext>) {
        router.get("", use: service.page(accounts))
        router.post("", use: service.formPage(addAccount))
        router.get(":number", use: service.page(account))
        router.post(":number/quota", use: service.form(setQuota))
        router.post(":number/code", use: service.formPage(makeCode))
        router.get(":number/disable", use: service.page(confirmDisabling))
        router.post(":number/disable", use: service.form(disable))
        router.post(":number/enable", use: service.form(enable))
    }

    func accounts(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let page = try request.page()
        let list = try await service.store.accounts.page(from: ListPage.offset(of: page), limit: ListPage.size)
        return visit.frame.accountsPage(
            list.accounts.map(ShownAccount.init), page: ListPage(page, total: list.total),
            asksFactor: try await service.asksFactor(visit))
    }

    func account(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let account = try await find(context)
        return visit.frame.accountPage(
            ShownAccount(account), isOwn: account.id == visit.account, asksFactor: try await service.asksFactor(visit))
    }

    func addAccount(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        let quota = try Self.quota(fields)
        try await service.requireFactor(fields, visit, context)
        let name = fields["name"] ?? ""
        try await service.store.accounts.add(name, quota: quota)
        service.audit.note("account added in the console", context, account: visit.session.accountName)
        return try await code(for: name, back: "accounts", visit)
    }

    func setQuota(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        let quota = try Self.quota(fields)
        return try await act("quota set in the console", .quotaSet, visit, fields, context) { account in
            try await service.store.accounts.setQuota(quota, of: account.name)
        }
    }

    func makeCode(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        let account = try await find(context)
        try await service.requireFactor(fields, visit, context)
        note("code made in the console", account, visit, context)
        return try await code(for: account.name, back: "accounts/\(account.id.value)", visit)
    }

    func confirmDisabling(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let account = try await find(context)
        guard account.id != visit.account else { throw Self.own }
        let place = "accounts/\(account.id.value)"
        return visit.frame.confirmPage(
            "Disable the account “\(Shown.visible(account.name))”?",
            [
                "Its devices and browsers are refused with their next request, its sign-in codes and published links too.",
                "Nothing is removed, on the server or on a device, and it still counts as used space.",
                "Edits on its devices wait there, and are uploaded after it is enabled again.",
            ], action: "\(place)/disable", button: "Disable", back: place,
            asksFactor: try await service.asksFactor(visit))
    }

    func disable(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        try await act("account disabled in the console", .accountDisabled, visit, fields, context) { account in
            guard account.id != visit.account else { throw Self.own }
            try await service.store.accounts.setDisabled(true, of: account.name)
        }
    }

    func enable(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        try await act("account enabled in the console", .accountEnabled, visit, fields, context) { account in
            try await service.store.accounts.setDisabled(false, of: account.name)
        }
    }

    /// Performs an act on an account after the owner's proof, and returns the page to go to next.
    private func act(
        _ what: String, _ notice: Notice, _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext,
        _ body: (AccountRecord) async throws -> Void
    ) async throws -> String {
        let account = try await find(context)
        try await service.requireFactor(fields, visit, context)
        try await body(account)
        note(what, account, visit, context)
        return "accounts/\(account.id.value)?done=\(notice.rawValue)"
    }

    private func note(
        _ what: String, _ account: AccountRecord, _ visit: ConsoleService.Visit, _ context: ServerContext
    ) {
        service.audit.note(
            what, context, account: visit.session.accountName, ["subject": "\(account.id.value)"])
    }

    private func code(for name: String, back: String, _ visit: ConsoleService.Visit) async throws -> HTML {
        let code = try await service.store.accounts.addCode(for: name)
        return visit.frame.deviceCodePage(
            code.description,
            limits: [
                "It signs one device or browser of the account “\(Shown.visible(name))” in, within a day.",
                "It opens everything in that account: give it to its person only.",
            ], address: visit.address, back: back, tab: .accounts)
    }

    private func find(_ context: ServerContext) async throws -> AccountRecord {
        guard let account = try await service.store.accounts.record(of: AccountID(try context.number())) else {
            throw CloudFailure(.notFound, "There is no such account; it may have been removed in the meantime.")
        }
        return account
    }

    private static let own = CloudFailure(
        .invalidRequest, "You cannot disable your own account: you could not enable it again. Nothing was changed.")

    private static func quota(_ fields: FormBody) throws -> UInt64? {
        let text = (fields["quota"] ?? "").trimmingPrefix { $0 == " " }
        guard !text.isEmpty, text != "none" else { return nil }
        guard let size = ByteCount(String(text)) else {
            throw CloudFailure(.invalidRequest, "The quota is not a size such as 500M or 100G, or none.")
        }
        return size.bytes
    }
}

extension ShownAccount {
    init(_ record: AccountRecord) {
        self.init(
            number: record.id.value, name: record.name, used: record.used, quota: record.quota, devices: record.devices,
            seen: record.seen, isOwner: record.isOwner, isDisabled: record.isDisabled)
    }
}
