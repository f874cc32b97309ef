import CloudProtocol
import HTTPTypes
import Hummingbird
import NIOCore

extension HTTPField.Name {
    // The names are tokens of RFC 9110, so these are never nil.
    static let protocolVersion = HTTPField.Name(CloudProtocolVersion.header)!
    static let cloudIdentity = HTTPField.Name(CloudProtocolVersion.cloudHeader)!
    static let direct = HTTPField.Name(DirectDownload.header)!
    static let resetAsked = HTTPField.Name(CloudRoutes.resetHeader)!
    static let host = HTTPField.Name("Host")!
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    static let sender = HTTPField.Name(RequestSender.header)!
    static let appendKey = HTTPField.Name(AppendKey.header)!
}

extension Response {
    static func bytes(_ bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/octet-stream"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        let body = try WireJSON.encode(value)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    static var done: Response { Response(status: .noContent) }
}
