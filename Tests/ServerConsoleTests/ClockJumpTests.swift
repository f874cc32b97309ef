import Basics
import CloudModel
import CloudStorage
import ContainerLog
import Foundation
import HTTPCloud
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// Sets the machine's clock while devices are at work. A server reads the clock with each request.
@Suite("A server whose clock jumps", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private static func hours(_ count: Int) -> Duration { .seconds(count * 3_600) }

    @Test("the server keeps every entry, in order, and every token, though it collects after each jump")
    func nothingLost() async throws {
        try await withServer { server in
            let devices = [try await server.device("one"), try await server.device("two")]
            let session = try await server.session()
            var written: [ItemID: String] = [:]
            for jump in [5, -9, 30, -50, 24, -1, 0] {
                server.time.advance(by: Self.hours(jump))
                for device in devices {
                    let text = "\(device.name), after \(written.count) others"
                    written[try await device.write("\(written.count)", text)] = text
                }
                _ = try await server.store.collect(.standard, pause: .zero)
                for device in devices {
                    #expect(try await device.names() == (0..<written.count).map(String.init).sorted())
                    for (item, text) in written {
                        let content = try #require(try await device.item(item)?.body.content?.reference)
                        #expect(try await device.bytes(of: content) == Array(text.utf8), "after a jump of \(jump) h")
                    }
                }
                #expect(try await server.page("devices", session).status == 200, "after a jump of \(jump) h")
            }
        }
    }

    @Test(
        "a clock set ahead by weeks collects chunks of an upload that is not appended; the append is refused as damaged, and the upload retries"
    )
    func uploadUnderWay() async throws {
        try await withServer { server in
            let device = try await server.device()
            let bytes = Array("an upload under way".utf8)
            let content = try await device.upload(bytes)
            server.time.advance(by: Self.hours(24 * 40))
            _ = try await server.store.collect(.standard, pause: .zero)
            let missing = try await device.backend.missing([content.digest], in: .cloudDocs)
            #expect(missing == [content.digest])
            let item = try await device.write(ItemName("again"), bytes)
            server.time.advance(by: Self.hours(-24 * 40))
            _ = try await server.store.collect(.standard, pause: .zero)
            let reference = try #require(try await device.item(item)?.body.content?.reference)
            #expect(try await device.bytes(of: reference) == bytes)
        }
    }

    @Test("links and codes expire by the current clock, and used or withdrawn ones stay invalid")
    func lifetimes() async throws {
        try await withServer { server in
            let device = try await server.device()
            let content = try await device.upload([1, 2, 3])
            func publish() async throws -> (id: Int64, path: String) {
                let link = try await device.backend.publish(
                    Publication(
                        content: content, name: try ItemName("a"), container: .cloudDocs, seconds: 3_600, password: nil)
                )
                return (link.id, String(link.url.dropFirst(server.url.count)))
            }
            let (kept, withdrawn) = (try await publish(), try await publish())
            let (unused, used) = (try await server.code(), try await server.code())
            _ = try await server.store.devices.signIn(code: used, device: "tablet")
            try await device.backend.withdrawLink(withdrawn.id)
            server.time.advance(by: Self.hours(30))
            #expect(try await server.request(.GET, kept.path).status == 404)
            await #expect(throws: StorageError.self) {
                try await server.store.devices.signIn(code: unused, device: "late")
            }
            _ = try await server.store.collect(.standard, pause: .zero)
            server.time.advance(by: Self.hours(-30))
            #expect(try await server.request(.GET, kept.path).body == [1, 2, 3])
            #expect(try await server.request(.GET, withdrawn.path).status == 404)
            await #expect(throws: StorageError.self) {
                try await server.store.devices.signIn(code: used, device: "thief")
            }
            _ = try await server.store.devices.signIn(code: unused, device: "phone")
        }
    }

    @Test("an address gets no more attempts at codes when the clock jumps ahead or back")
    func tries() async throws {
        try await withServer { server in
            for jump in [0, 10, -20] {
                server.time.advance(by: Self.hours(jump))
                var statuses: Set<UInt> = []
                for _ in 0..<7 {
                    let answer = try await server.request(
                        .POST, "/v1/sign-in", headers: [("Ubiquity-Protocol", "1")],
                        body: "{\"code\":\"AAAA-BBBB-CCCC-DDDD\",\"device\":\"x\"}")
                    statuses.insert(answer.status)
                }
                #expect(statuses.contains(429), "after a jump of \(jump) h: \(statuses)")
            }
        }
    }
}
