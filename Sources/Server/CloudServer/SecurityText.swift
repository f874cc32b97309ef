import CloudProtocol
import Foundation
import Hummingbird
import NIOCore

/// `/.well-known/security.txt` (RFC 9116): where to report that something is not safe.
struct SecurityText: Sendable {
    let contact: String?

    func show(_ request: Request, _ context: ServerContext) throws -> Response {
        guard let contact else { throw CloudFailure(.notFound, "This server names no contact (--security-contact).") }
        // It says for how long it may be believed, half a year as a rule.
        let expires = Date.now.addingTimeInterval(180 * 86_400).formatted(.iso8601)
        let text = "Contact: \(contact)\nExpires: \(expires)\n"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
