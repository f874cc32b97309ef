import Basics
import CloudModel
import CloudProtocol
package import CloudStorage

import struct Foundation.Data

extension HTTPBackend: LinkPublishing {
    package func publish(_ publication: Publication) async throws -> NewLink {
        let name = String(validating: publication.name.bytes, as: UTF8.self)
        let content = publication.content
        let message = PublishRequest(
            digest: content.digest.description, size: content.size, layout: content.layout.rawValue, name: name,
            nameBytes: name == nil ? Data(publication.name.bytes) : nil, seconds: publication.seconds,
            password: publication.password)
        let body: [UInt8]
        do { body = try WireJSON.encode(message) } catch {
            throw CloudError(.failed, "The request could not be created.", cause: error)
        }
        let answer = try await connection.json(
            PublishResponse.self, Exchange(.post, CloudRoutes.links(in: publication.container), body: body))
        // A link address to show and open must lie below the server's own address.
        guard answer.path.wholeMatch(of: /\/p\/[a-z0-9]{16,64}/) != nil else {
            throw CloudError(.damaged, "The response of \(connection.address) contains no link.")
        }
        return NewLink(
            id: answer.id, url: "\(connection.address)\(answer.path)", expires: Timestamp(seconds: answer.expires))
    }

    package func links() async throws -> [KnownLink] {
        var links: [KnownLink] = []
        var next: Int64? = 0
        while let after = next {
            var exchange = Exchange(.get, "\(CloudRoutes.links)?after=\(after)")
            exchange.answerLimit = 1 << 20
            let page = try await connection.json(PublishedLinks.self, exchange)
            links += page.links.map { link in
                KnownLink(
                    id: link.id, container: link.container, name: link.name, size: link.size,
                    created: Timestamp(seconds: link.created), expires: Timestamp(seconds: link.expires),
                    hasPassword: link.hasPassword)
            }
            guard links.count <= Self.maximumLinks, page.next.map({ $0 > after }) ?? true else {
                throw CloudError(.damaged, "The list of links of \(connection.address) does not end.")
            }
            next = page.next
        }
        return links
    }

    /// More than a server keeps for an account.
    private static let maximumLinks = 100_000

    package func withdrawLink(_ id: Int64) async throws {
        try await connection.send(Exchange(.delete, CloudRoutes.link(id)))
    }
}
