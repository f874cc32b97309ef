import CloudModel
import CloudProtocol
import ContainerLog
import Hummingbird
import Logging
import ServerConsole
import ServerStorage

/// The pages about devices, browsers, transfers and links.
extension ConsoleRoutes {
    func devices(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let page = try request.page()
        let list = try await service.store.devices.page(
            of: visit.account, from: ListPage.offset(of: page), limit: ListPage.size)
        let devices = list.devices.map {
            ShownDevice(
                number: $0.id, name: $0.name, created: $0.created, seen: $0.seen, isRevoked: $0.isRevoked,
                isResetAsked: $0.isResetAsked, isReadOnly: $0.scope == .read, isAhead: $0.isAhead, expires: $0.expires,
                senders: DeviceSender.shown($0.senders, below: $0.name).map {
                    ShownSender(id: $0.id, name: $0.name, address: $0.address, seen: $0.last)
                })
        }
        let sessions = try await service.store.sessions.newest(of: visit.account, limit: ListPage.size)
        let browsers = sessions.newest.map {
            ShownBrowser(number: $0.id, name: $0.browser, seen: $0.seen, isThis: $0.id == visit.session.id)
        }
        return visit.frame.devicesPage(
            devices, page: ListPage(page, total: list.total), browsers, of: sessions.total)
    }

    func confirmRevocation(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let device = try await device(visit, context)
        return visit.frame.confirmPage(
            "End the access of “\(Shown.visible(device.name))”?",
            [
                "Its next request is refused: it can no longer upload or download.",
                "Its local files stay on the device, including edits that it has not uploaded.",
                "To sign in again it needs a new sign-in code.",
            ], action: "devices/\(device.id)/revoke", button: "End its access", back: "devices")
    }

    func revoke(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        guard try await service.store.devices.revoke(device: try context.number(), of: visit.account) else {
            throw Self.noDevice
        }
        let number = try context.number()
        service.audit.note(
            "device revoked in the console", context, account: visit.session.accountName, ["revoked": "\(number)"])
        return "devices?done=\(Notice.revoked.rawValue)"
    }

    func confirmReset(
        _ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext
    ) async throws -> HTML {
        let device = try await device(visit, context)
        return visit.frame.confirmPage(
            "Reset “\(Shown.visible(device.name))”?",
            [
                "It rebuilds its state from this cloud, as with `ubiquity reset`, as soon as it is online.",
                "No edit is lost: edits that cannot be uploaded first become recovered documents.",
                "Its mount is unavailable for a moment, and its local copies are downloaded again.",
            ], action: "devices/\(device.id)/reset", button: "Reset it", back: "devices")
    }

    func reset(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        guard try await service.store.devices.askReset(of: try context.number(), account: visit.account) else {
            throw Self.noDevice
        }
        let number = try context.number()
        service.audit.note(
            "device reset in the console", context, account: visit.session.accountName, ["reset": "\(number)"])
        return "devices?done=\(Notice.resetAsked.rawValue)"
    }

    func signOutBrowser(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        guard try await service.store.sessions.endSession(try context.number(), of: visit.account) else {
            throw CloudFailure(.notFound, "There is no such browser; it may have been signed out in the meantime.")
        }
        service.audit.note("browser signed out in the console", context, account: visit.session.accountName)
        return "devices?done=\(Notice.signedOut.rawValue)"
    }

    func transfers(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let entries = service.board.entries(of: visit.account).prefix(ListPage.size)
        let names = try await service.store.devices.names(of: Set(entries.map(\.key.device)))
        let moving = entries.map { entry in
            ShownTransfer(
                device: names[entry.key.device] ?? "no. \(entry.key.device)", container: entry.key.container,
                isUpload: entry.key.isUpload, bytes: entry.bytes, last: entry.last)
        }
        var announced: [(container: ContainerName, item: CloudItem)] = []
        let deadline = ContinuousClock.now + .seconds(3)
        for name in try await service.store.logs.containers(of: visit.account) {
            guard announced.count < ListPage.size, ContinuousClock.now < deadline else { break }
            let view = try await service.trees.view(of: name, of: visit.account, patience: .seconds(1))
            announced += try await view.tree.announced(limit: ListPage.size - announced.count).map { (name, $0) }
        }
        return visit.frame.transfersPage(Array(moving), announced: announced)
    }

    func links(_ visit: ConsoleService.Visit, _ request: Request, _ context: ServerContext) async throws -> HTML {
        let page = try request.page()
        let list = try await service.store.links.page(
            of: visit.account, from: ListPage.offset(of: page), limit: ListPage.size)
        return visit.frame.linksPage(list.links, page: ListPage(page, total: list.total))
    }

    /// Publishes the document version shown on its page.
    func publish(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> HTML {
        let container = try context.container()
        let view = try await service.trees.view(of: container, of: visit.account)
        let item = try await find(try context.item(), view)
        guard let version = VersionID(fields["seen"] ?? ""),
            let content = try await view.tree.content(of: item.id, at: version)
        else { throw ServerContext.noItem }
        let password = fields["password"].flatMap { $0.isEmpty ? nil : $0 }
        // A number of days that overflows is as wrong as a missing one.
        let seconds = (Int64(fields["days"] ?? "") ?? 0).multipliedReportingOverflow(by: 86_400)
        try LinkRoutes.check(seconds: seconds.overflow ? 0 : seconds.partialValue, password: password)
        var random = SystemRandomNumberGenerator()
        let token = LinkToken.random(using: &random)
        let link = try await service.store.links.add(
            token, to: content, name: item.name, in: container, of: visit.account,
            lifetime: .seconds(seconds.partialValue), password: password)
        service.audit.note(
            "document published in the console", context, account: visit.session.accountName, ["link": "\(link.id)"])
        return visit.frame.publishedPage(
            item.name, path: CloudRoutes.published(token), address: visit.address, expires: link.expires,
            hasPassword: link.hasPassword)
    }

    func withdraw(
        _ visit: ConsoleService.Visit, _ fields: FormBody, _ context: ServerContext
    ) async throws -> String {
        guard try await service.store.links.withdraw(try context.number(), of: visit.account) else {
            throw CloudFailure(.notFound, "There is no such link; it may have expired or been withdrawn.")
        }
        let number = try context.number()
        service.audit.note(
            "link withdrawn in the console", context, account: visit.session.accountName, ["link": "\(number)"])
        return "links?done=\(Notice.withdrawn.rawValue)"
    }

    func device(_ visit: ConsoleService.Visit, _ context: ServerContext) async throws -> DeviceRecord {
        let number = try context.number()
        guard let device = try await service.store.devices.device(number, of: visit.account), !device.isRevoked else {
            throw Self.noDevice
        }
        return device
    }

    private static let noDevice = CloudFailure(
        .notFound, "There is no such device; its access may have been ended in the meantime.")
}
