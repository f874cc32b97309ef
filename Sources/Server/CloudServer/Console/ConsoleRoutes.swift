import CloudModel
import CloudProtocol
import Hummingbird
import ServerConsole
import ServerStorage

/// Every address of the console.
struct ConsoleRoutes: Sendable {
    let desk: ConsoleService

    func add(to router: Router<ServerContext>) {
        let signIn = ConsoleSignIn(desk)
        router.get("/") { _, _ in Response.seeOther("console/") }
        let console = router.group("console")
        console.get("") { request, context in
            // Relative addresses of a page need the slash.
            guard request.uri.path.hasSuffix("/") else { return Response.seeOther("console/") }
            return try await desk.page(containers)(request, context)
        }
        console.get("style.css") { _, _ in Response.asset(Stylesheet.text, type: "text/css") }
        console.get("live.js") { _, _ in Response.asset(LiveScript.text, type: "text/javascript") }
        console.get("sign-in", use: signIn.show)
        console.post("sign-in", use: signIn.signIn)
        console.post("sign-out", use: signIn.signOut)
        console.get("events", use: ConsoleEvents(desk: desk).stream)
        addContainers(to: console.group("c/:container"))
        addDevices(to: console)
    }

    private func addContainers(to router: RouterGroup<ServerContext>) {
        router.get("", use: desk.page(item))
        router.get("i/:item", use: desk.page(item))
        router.get("i/:item/content/:version", use: desk.answer(content))
        router.head("i/:item/content/:version", use: desk.answer(content))
        router.get("conflicts", use: desk.page(conflicts))
        router.get("deleted", use: desk.page(deleted))
        router.post("i/:item/restore", use: desk.form(restore))
        router.get("storage", use: desk.page(storage))
        router.get("i/:item/delete", use: desk.page(confirmDeletion))
        router.post("i/:item/delete", use: desk.form(delete))
        router.post("i/:item/resolve", use: desk.form(resolve))
        router.get("reset", use: desk.page(confirmEmptying))
        router.post("reset", use: desk.form(empty))
    }

    private func addDevices(to router: RouterGroup<ServerContext>) {
        router.get("transfers", use: desk.page(transfers))
        router.get("devices", use: desk.page(devices))
        router.get("devices/:number/revoke", use: desk.page(confirmRevocation))
        router.post("devices/:number/revoke", use: desk.form(revoke))
        router.get("devices/:number/reset", use: desk.page(confirmReset))
        router.post("devices/:number/reset", use: desk.form(reset))
        router.post("browsers/:number/sign-out", use: desk.form(signOutBrowser))
        router.get("links", use: desk.page(links))
        router.post("links/:number/withdraw", use: desk.form(withdraw))
    }
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
            throw CloudFailure(.notFound, "There is nothing of this number.")
        }
        return number
    }

    static let noItem = CloudFailure(.notFound, "There is no such item; it may have been deleted meanwhile.")
}
