import Basics
import Chunking
import CloudModel
import CloudProtocol
import Foundation
import Hummingbird
import Logging
import ServerStorage

/// Routes for publishing documents from devices.
struct LinkRoutes: Sendable {
    let store: ServerStore
    let reader: BodyReader
    let audit: Audit

    func add(to router: RouterGroup<ServerContext>) {
        router.post("containers/:container/links", use: publish)
        router.get("links", use: list)
        router.delete("links/:number", use: withdraw)
    }

    func publish(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try context.requireDevice().account
        let container = try context.container()
        let message = try WireJSON.decode(
            PublishRequest.self, from: try await reader.collect(request, upTo: CloudLimits.json))
        let content = try Self.content(message)
        guard let bytes = message.nameBytes ?? message.name.map({ Data($0.utf8) }),
            // An invalid name is refused like a missing one.
            let name = try? ItemName(bytes: bytes)
        else { throw CloudFailure(.invalidRequest, "The document's name is missing or invalid.") }
        try Self.check(seconds: message.seconds, password: message.password)
        var random = SystemRandomNumberGenerator()
        let token = LinkToken.random(using: &random)
        let record = try await store.links.add(
            token, to: content, name: name, in: container, of: account, lifetime: .seconds(message.seconds),
            password: message.password)
        await audit.note("document published", context, account: account, ["link": "\(record.id)"])
        return try .json(
            PublishResponse(id: record.id, path: CloudRoutes.published(token), expires: record.expires.split.seconds))
    }

    func list(_ request: Request, _ context: ServerContext) async throws -> Response {
        let after = Int64(clamping: try request.number("after") ?? 0)
        let found = try await store.links.list(
            of: try context.requireDevice().account, after: after, limit: CloudLimits.pageLinks)
        let links = found.map { link in
            PublishedLink(
                id: link.id, container: link.container.text, name: link.name.description, size: link.size,
                created: link.created.split.seconds, expires: link.expires.split.seconds, hasPassword: link.hasPassword)
        }
        return try .json(
            PublishedLinks(links: links, next: found.count == CloudLimits.pageLinks ? found.last?.id : nil))
    }

    func withdraw(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (number, account) = (try context.number(), try context.requireDevice().account)
        guard try await store.links.withdraw(number, of: account) else {
            throw CloudFailure(.notFound, "There is no such link; it may have expired or been withdrawn.")
        }
        await audit.note("link withdrawn", context, account: account, ["link": "\(number)"])
        return .done
    }

    /// Throws if a link may not have this duration or this password.
    static func check(seconds: Int64, password: String?) throws {
        guard (1...PublishRequest.longest).contains(seconds) else {
            throw CloudFailure(
                .invalidRequest, "A link lasts from a second to \(PublishRequest.longest / 86_400) days.")
        }
        guard password.map({ (1...1_024).contains($0.utf8.count) }) ?? true else {
            throw CloudFailure(.invalidRequest, "A password has 1 to 1,024 bytes.")
        }
    }

    private static func content(_ message: PublishRequest) throws -> ContentReference {
        guard let digest = Hex.decode(message.digest).flatMap({ Digest($0) }),
            let layout = ContentReference.Layout(rawValue: message.layout), message.size <= UInt64(Int64.max)
        else { throw CloudFailure(.invalidRequest, "The digest, size or layout of the content is invalid.") }
        let content = ContentReference(digest: digest, size: message.size, layout: layout)
        guard layout == .manifest || Manifest(within: content) != nil else {
            throw CloudFailure(.invalidRequest, "The layout does not match the size of the content.")
        }
        return content
    }
}
