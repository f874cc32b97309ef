import CloudProtocol
import Foundation
import Hummingbird
import NIOCore

/// The file `/.well-known/security.txt` (RFC 9116), with a contact for reporting security problems.
struct SecurityText: Sendable {
    let contact: String?

    func show(_ request: Request, _ context: ServerContext) throws -> Response {
        guard let contact else { throw CloudFailure(.notFound, "This server names no contact (--security-contact).") }
        // The date until which the file may be trusted: half a year from now.
        let expires = Date.now.addingTimeInterval(180 * 86_400).formatted(.iso8601)
        let text = "Contact: \(contact)\nExpires: \(expires)\n"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
