import CloudProtocol
import Glibc
import NIOCore
import NIOHTTP1
import Testing

@testable import CloudServer

@Suite("Refusals")
struct RefusalTests {
    @Test(
        "a connection that ends within a request is not logged as an error",
        arguments: [
            HTTPParserError.invalidEOFState, ChannelError.inputClosed, ChannelError.ioOnClosedChannel,
            IOError(errnoCode: ECONNRESET, reason: "read"), IOError(errnoCode: EPIPE, reason: "write"),
        ] as [any Error])
    func ended(error: any Error) { #expect(Refusals.failure(of: error).code == .invalidRequest) }

    @Test("an error of the server's own disk is reported as the server's failure")
    func own() { #expect(Refusals.failure(of: IOError(errnoCode: EIO, reason: "write")).code == .failed) }
}
