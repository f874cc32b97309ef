import Basics
import DaemonProtocol
import Foundation
import TestSupport
import Testing

@testable import Ubiquity

/// The program's end of binary frames: offered in the hello, used if the daemon accepts them.
@Suite("A program's binary frames", .timeLimit(.minutes(10)))
struct BinaryFramesTests {
    private let claim: AccessRequest
    private let granted: GrantedResponse

    init() throws {
        let path = try MountPath("CloudDocs/Documents/a")
        claim = AccessRequest(
            accesses: [WantedAccess(path: path, mode: .read, options: [.withoutChanges])],
            purpose: "coordinator-2987E1DD-823F-4D65-89E3-05CB8A26C8D9-1")
        granted = GrantedResponse(paths: [path], claim: 2, isWhole: true)
    }

    /// Sends the claim on a separate thread.
    private func claimAside(_ connection: MountConnection) -> BlockingPromise<Result<GrantedResponse, any Error>> {
        let answer = BlockingPromise<Result<GrantedResponse, any Error>>()
        let claim = claim
        Thread.detachNewThread { answer.put(Result { try connection.call(claim) }) }
        return answer
    }

    @Test("a daemon of an earlier release gets the bytes that a program of that release would have sent")
    func earlierDaemon() throws {
        let (daemon, connection) = try HandDaemon.connected(binaryFrames: nil)
        let answer = claimAside(connection)
        let payload = try daemon.nextPayload()
        #expect(payload == Array(RecordedFrames.claim.dropFirst(ControlFrame.headerLength)))
        try daemon.send(bytes: RecordedFrames.granted)
        let response = try answer.take().get()
        #expect(response == granted)
        connection.post(FinishRequest(claim: 2, isQuiet: true))
        let finish = try daemon.nextPayload()
        #expect(finish == Array(RecordedFrames.quietFinish.dropFirst(ControlFrame.headerLength)))
        daemon.end()
    }

    @Test(
        "a daemon that accepts them gets binary claims; responses are accepted in both forms", arguments: [true, false])
    func agreed(isBinary: Bool) throws {
        let (daemon, connection) = try HandDaemon.connected(binaryFrames: BinaryFrame.version)
        let answer = claimAside(connection)
        let payload = try daemon.nextPayload()
        let envelope = try ClientEnvelope(binary: payload)
        #expect(envelope == ClientEnvelope(id: 2, claim))
        try daemon.send(DaemonEnvelope(id: 2, .response(granted)), isBinary: isBinary)
        let response = try answer.take().get()
        #expect(response == granted)
        connection.post(FinishRequest(claim: 2, isQuiet: true))
        let finish = try ClientEnvelope(binary: try daemon.nextPayload())
        #expect(finish == ClientEnvelope(id: 3, FinishRequest(claim: 2, isQuiet: true)))
        daemon.end()
    }

    @Test("a refusal of a binary claim is JSON, and ends only that request")
    func refusal() throws {
        let (daemon, connection) = try HandDaemon.connected(binaryFrames: BinaryFrame.version)
        let answer = claimAside(connection)
        _ = try daemon.next()
        let refusal = DaemonFailure(.deadlock, "it would wait for itself")
        try daemon.send(DaemonEnvelope(id: 2, .failure(refusal)), isBinary: true)
        #expect(throws: refusal) { try answer.take().get() }
        #expect(!connection.isOver)
        daemon.end()
    }

    @Test("a version that the program did not offer is not used")
    func laterVersion() throws {
        let (daemon, connection) = try HandDaemon.connected(binaryFrames: BinaryFrame.version + 1)
        connection.post(FinishRequest(claim: 2, isQuiet: true))
        let payload = try daemon.nextPayload()
        #expect(payload.first == UInt8(ascii: "{"))
        daemon.end()
    }

    @Test(
        "a malformed or unexpected binary frame ends the connection with a failure that names it",
        arguments: [([3, 2, 1], BinaryFrame.version), ([8], BinaryFrame.version), ([4, 2], nil)]
            as [([UInt8], UInt32?)])
    func malformed(payload: [UInt8], agreed: UInt32?) throws {
        let (daemon, connection) = try HandDaemon.connected(binaryFrames: agreed)
        let answer = claimAside(connection)
        _ = try daemon.next()
        try daemon.send(bytes: [0, 0, 0, UInt8(payload.count)] + payload)
        let failure = #expect(throws: DaemonFailure.self) { try answer.take().get() }
        #expect(failure?.message.contains("binary frame") == true)
        #expect(connection.isOver)
        daemon.end()
    }
}
