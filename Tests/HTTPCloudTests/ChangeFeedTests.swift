import CloudModel
import CloudProtocol
import CloudStorage
import ServerSupport
import Testing

@testable import HTTPCloud

@Suite("The device's end of the change feed", .timeLimit(.minutes(10)))
struct ChangeFeedTests {
    @Test("new positions become hints, known ones do not, and a reconnection is reported first")
    func memory() throws {
        let notes = try #require(ContainerName("notes"))
        var memory = ChangeFeedState()
        let first = memory.learn(ChangeFeedEvent(revision: 4, containers: ["CloudDocs": 3]))
        #expect(first == [.containersChanged, .containerChanged(.cloudDocs)])
        let again = memory.learn(ChangeFeedEvent(revision: 4, containers: ["CloudDocs": 3]))
        #expect(again.isEmpty)
        let grown = memory.learn(ChangeFeedEvent(revision: 6, containers: ["CloudDocs": 4, "notes": 0]))
        #expect(Set(grown) == [.containersChanged, .containerChanged(.cloudDocs), .containerChanged(notes)])
        let wasConnected = memory.interrupted()
        #expect(wasConnected)
        let back = memory.learn(ChangeFeedEvent(revision: 6, containers: ["CloudDocs": 4, "notes": 0]))
        #expect(back == [.reachabilityChanged])
    }

    @Test(
        "names that a server makes up use no more memory than the limit, and known containers are still followed"
    )
    func boundedNames() {
        var state = ChangeFeedState()
        _ = state.learn(ChangeFeedEvent(revision: 1, containers: ["CloudDocs": 1]))
        for page in 0..<20 {
            let names = (0..<1_000).map { ("made-up-\(page)-\($0)", UInt64(1)) }
            let containers = Dictionary(uniqueKeysWithValues: names)
            let event = ChangeFeedEvent(revision: UInt64(page + 2), containers: containers)
            _ = state.learn(event)
        }
        #expect(state.nameCount == ChangeFeedState.maximumNames)
        let beyond = state.learn(ChangeFeedEvent(revision: 30, containers: ["another": 1]))
        #expect(beyond.isEmpty)
        let known = state.learn(ChangeFeedEvent(revision: 31, containers: ["CloudDocs": 2]))
        #expect(known == [.containerChanged(.cloudDocs)])
    }

    @Test("where a proxy buffers the stream, the device polls and still receives the changes")
    func heldBack() async throws {
        let head = "\(CloudProtocolVersion.header): 1\r\n"
        let body = #"{"containers":{"CloudDocs":1},"revision":2}"#
        let answers = [
            "HTTP/1.1 200 OK\r\n\(head)Transfer-Encoding: chunked\r\n\r\n…",
            "HTTP/1.1 200 OK\r\n\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
        ]
        try await withCannedServer(answers) { address, requests in
            let connection = ServerConnection(address: address, logger: quiet) { "ubq_1_00" }
            let mailbox = EventMailbox()
            let follower = ChangeFeedFollower(connection: connection, mailbox: mailbox, patience: .milliseconds(20))
            let running = Task { await follower.run() }
            #expect(await mailbox.next() == .containersChanged)
            #expect(await mailbox.next() == .containerChanged(.cloudDocs))
            running.cancel()
            await running.value
            #expect(requests.all.first?.hasPrefix("GET /v1/news HTTP") == true)
            #expect(requests.all.dropFirst().first?.hasPrefix("GET /v1/news?after=0&wait=30 ") == true)
        }
    }
}
