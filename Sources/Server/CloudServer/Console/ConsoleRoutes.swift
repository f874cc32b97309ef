import CloudModel
import CloudProtocol
import Hummingbird
import ServerConsole
import ServerStorage

/// The routes of the console.
struct ConsoleRoutes: Sendable {
    let service: ConsoleService

    func add(to router: Router<ServerContext>) {
        let signIn = ConsoleSignIn(service)
        router.get("/") { _, _ in Response.seeOther("console/") }
        let console = router.group("console")
        console.get("") { request, context in
            // Relative addresses of a page need the slash.
            guard request.uri.path.hasSuffix("/") else { return Response.seeOther("console/") }
            return try await service.page(containers)(request, context)
        }
        console.get("style.css") { _, _ in Response.asset(Stylesheet.text, type: "text/css") }
        console.get("live.js") { _, _ in Response.asset(LiveScript.text, type: "text/javascript") }
        console.get("copy.js") { _, _ in Response.asset(CopyScript.text, type: "text/javascript") }
        console.get("passkey.js") { _, _ in Response.asset(PasskeyScript.text, type: "text/javascript") }
        console.get("sign-in", use: signIn.show)
        console.post("sign-in", use: signIn.signIn)
        console.post("passkey-sign-in", use: signIn.signInWithPasskey)
        console.post("sign-out", use: signIn.signOut)
        console.get("events", use: ConsoleEvents(service: service).stream)
        addContainers(to: console.group("c/:container"))
        addDevices(to: console)
        addSecurity(to: console.group("security"))
        OwnerRoutes(service).add(to: console.group("accounts"))
    }

    private func addContainers(to router: RouterGroup<ServerContext>) {
        router.get("", use: service.page(item))
        router.get("i/:item", use: service.page(item))
        router.get("i/:item/content/:version", use: service.answer(content))
        router.head("i/:item/content/:version", use: service.answer(content))
        router.post("i/:item/versions/:version/restore", use: service.form(restoreVersion))
        router.post("i/:item/publish", use: service.formPage(publish))
        router.post("chosen/delete", use: service.formPage(confirmDeletionOfChosen))
        router.post("chosen/delete/confirmed", use: service.form(deleteChosen))
        router.post("chosen/restore", use: service.form(restoreChosen))
        router.post("chosen/purge", use: service.formPage(confirmPurgeOfChosen))
        router.post("chosen/purge/confirmed", use: service.form(purgeChosen))
        router.get("conflicts", use: service.page(conflicts))
        router.get("deleted", use: service.page(deleted))
        router.post("i/:item/restore", use: service.form(restore))
        router.get("i/:item/purge", use: service.page(confirmPurge))
        router.post("i/:item/purge", use: service.form(purge))
        router.get("deleted/purge", use: service.page(confirmPurgeOfAll))
        router.post("deleted/purge", use: service.form(purgeAll))
        router.get("storage", use: service.page(storage))
        router.get("i/:item/delete", use: service.page(confirmDeletion))
        router.post("i/:item/delete", use: service.form(delete))
        router.post("i/:item/resolve", use: service.form(resolve))
        router.get("reset", use: service.page(confirmEmptying))
        router.post("reset", use: service.form(empty))
    }

    private func addDevices(to router: RouterGroup<ServerContext>) {
        router.get("transfers", use: service.page(transfers))
        router.get("devices", use: service.page(devices))
        router.post("devices/code", use: service.formPage(makeCode))
        router.get("devices/:number/revoke", use: service.page(confirmRevocation))
        router.post("devices/:number/revoke", use: service.form(revoke))
        router.get("devices/:number/reset", use: service.page(confirmReset))
        router.post("devices/:number/reset", use: service.form(reset))
        router.post("browsers/:number/sign-out", use: service.form(signOutBrowser))
        router.get("links", use: service.page(links))
        router.post("links/:number/withdraw", use: service.form(withdraw))
    }
}

extension ConsoleRoutes {
    private func addSecurity(to router: RouterGroup<ServerContext>) {
        router.get("", use: service.page(security))
        router.post("app", use: service.form(beginSecondFactor))
        router.post("app/confirm", use: service.formPage(confirmSecondFactor))
        router.post("app/off", use: service.form(endSecondFactor))
        router.post("passkeys", use: service.form(addPasskey))
        router.post("passkeys/:number/remove", use: service.form(removePasskey))
    }
}

extension Request {
    /// Returns the requested page number of a list, from 0.
    func page() throws -> Int { Int(min(1 << 20, try number("page") ?? 0)) }
}

extension ServerContext {
    func item() throws -> ItemID {
        guard let text = parameters.get("item") else { return .root }
        guard let id = ItemID(text) else { throw Self.noItem }
        return id
    }

    func version() throws -> VersionID {
        guard let version = parameters.get("version").flatMap({ VersionID($0) }) else { throw Self.noItem }
        return version
    }

    func number() throws -> Int64 {
        guard let number = parameters.get("number").flatMap({ Int64($0) }) else {
            throw CloudFailure(.notFound, "There is no entry with this number.")
        }
        return number
    }

    static let noItem = CloudFailure(.notFound, "There is no such item; it may have been deleted in the meantime.")
}
