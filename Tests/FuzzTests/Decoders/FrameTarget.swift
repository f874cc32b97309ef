import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

private protocol Envelope: Encodable, DecodableWithConfiguration, Equatable
where DecodingConfiguration == CallRegistry {}

extension ClientEnvelope: Envelope {}
extension DaemonEnvelope: Envelope {}

extension FuzzTarget {
    /// Bytes received from the control socket, at either end. Bytes that are not a stream of frames are tried as one payload.
    static let frames = FuzzTarget(name: "frame") { bytes in
        let payloads = try split(bytes)
        return try (payloads.isEmpty ? [Data(bytes)] : payloads).map(expectStable).contains(true)
    } seeds: {
        try requests.enumerated().map { try ControlFrame.frame(ClientEnvelope(id: UInt64($0), $1)) }
            + responses.map { try ControlFrame.frame(DaemonEnvelope(id: 1, $0)) }
    }

    /// Expects the same frames whether the stream arrives in one piece or byte by byte.
    private static func split(_ bytes: [UInt8]) throws(Violation) -> [Data] {
        let whole = frames(of: [bytes])
        let pieces = frames(of: bytes.prefix(256).map { [$0] } + [Array(bytes.dropFirst(256))])
        try Violation.unless(whole == pieces, "the frames depend on the pieces of the stream")
        return whole
    }

    private static func frames(of pieces: [[UInt8]]) -> [Data] {
        var splitter = FrameSplitter()
        var payloads: [Data] = []
        for piece in pieces {
            splitter.append(piece)
            // A length above the limit ends the connection.
            do { while let payload = try splitter.next() { payloads.append(payload) } } catch { break }
        }
        return payloads
    }

    private static func expectStable(_ payload: Data) throws -> Bool {
        _ = ControlFrame.requestID(of: payload)
        try expectSame(payload.withUnsafeBytes(ClientEnvelope.init(canonical:)), payload)
        try expectSame(payload.withUnsafeBytes(DaemonEnvelope.init(canonical:)), payload)
        return try [isStable(ClientEnvelope.self, payload), isStable(DaemonEnvelope.self, payload)].contains(true)
    }

    /// Expects that the complete reader returns the same message for whatever the fast reader accepts.
    private static func expectSame<Message: Envelope>(_ fast: Message?, _ payload: Data) throws {
        guard let fast else { return }
        let whole = accepted { try ControlFrame.decode(Message.self, from: payload, calls: calls) }
        try Violation.unless(whole == fast, "the two readers differ about a message: \(fast)")
    }

    /// Expects that a decoded message can be encoded again without a change.
    private static func isStable<Message: Envelope>(_ type: Message.Type, _ payload: Data) throws -> Bool {
        guard let message = accepted({ try ControlFrame.decode(type, from: payload, calls: calls) }) else {
            return false
        }
        guard let text = accepted({ try ControlFrame.payload(message) }) else {
            throw Violation("a message that was decoded can not be encoded: \(message)")
        }
        let again = accepted { try ControlFrame.decode(type, from: text, calls: calls) }
        try Violation.unless(again == message, "a message that is encoded again differs: \(message)")
        return true
    }

    /// All calls that a daemon and its clients decode.
    private static let calls = CallRegistry([
        AccessRequest.self, AnswerRequest.self, CheckRequest.self, ClaimsRequest.self, CollectRequest.self,
        ConflictsRequest.self,
        DeletedRequest.self, DiagnoseRequest.self, DownloadRequest.self, EvictRequest.self, FetchVersionRequest.self,
        FindRequest.self, FinishRequest.self, HelloRequest.self, KeyValuesRequest.self, LatestVersionRequest.self,
        LinksRequest.self, MonitorRequest.self, PackageTypesRequest.self, PinRequest.self, PresentRequest.self,
        PresenterEventsRequest.self, PublishRequest.self, RemoveVersionsRequest.self, ResetRequest.self,
        ResolveRequest.self, RestoreDeletedRequest.self, RestoreRequest.self, ResumeRequest.self,
        SetKeyValuesRequest.self, StatusRequest.self, StopRequest.self, StorageRequest.self, SyncRequest.self,
        UnfollowRequest.self, UnpublishRequest.self, VersionsRequest.self, WatchKeyValuesRequest.self,
        WatchRequest.self, WithdrawRequest.self,
    ])

    private static let path = (try? MountPath(bytes: Array("CloudDocs/caf".utf8) + [0xE9])) ?? .root
    private static let failure = DaemonFailure(
        .notUploaded, "it is not in the cloud yet", path: "/m/a", advice: "Sync it first.", errno: 16)

    private static let plainPath = (try? MountPath("CloudDocs/Documents/a.txt")) ?? .root

    private static let requests: [any DaemonCall] = [
        HelloRequest(program: "ubiquity"), StatusRequest(paths: [path]),
        SyncRequest(paths: [.root], wait: true, timeout: 1.5), PinRequest(paths: [path], pin: .keep),
        ResolveRequest(path: path, keep: .version("7.0")), CheckRequest(),
        AccessRequest(
            accesses: [WantedAccess(path: path, mode: .write, options: [.forMerging])], purpose: "p", within: 3),
        PresentRequest(path: path, callbacks: [.saveChanges, .didMove], purpose: "p"),
        AnswerRequest(question: 6, failure: "the disk is full"),
        AccessRequest(
            accesses: [
                WantedAccess(path: plainPath, mode: .read, options: [.withoutChanges, .forUploading]),
                WantedAccess(path: plainPath, mode: .write),
            ], purpose: "p", withinPresenter: 4, presenter: 5),
        FinishRequest(claim: 7), FinishRequest(claim: 7, isQuiet: true),
    ]

    private static let responses: [DaemonEnvelope.Body] = [
        .failure(failure), .event(.alive), .response(SyncResponse(pendingItems: 0, pendingBytes: 0)),
        .response(ItemsResponse(outcomes: [ItemOutcome(path: path, items: 2, bytes: 3, failure: failure)])),
        .event(.question(PresenterQuestion(presenter: 5, question: 6, parts: [.init(.saveChanges, path: path)]))),
        .event(.news(PresenterEvent(presenter: 5, callback: .subitemDidMove, path: path, from: path))),
        .response(GrantedResponse(paths: [plainPath, plainPath], claim: 18, isWhole: true)),
        .response(DoneResponse()),
    ]
}
