import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

private protocol Envelope: Encodable, DecodableWithConfiguration, Equatable
where DecodingConfiguration == CallRegistry {
    init(binary payload: [UInt8]) throws(ByteCodingError)
    var binary: [UInt8]? { get }
}

extension ClientEnvelope: Envelope {}
extension DaemonEnvelope: Envelope {}

extension FuzzTarget {
    /// Bytes received from the control socket, at either end: frames of JSON and binary frames. Bytes that do not form
    /// a stream of frames are tried as a single payload.
    static let frames = FuzzTarget(name: "frame") { bytes in
        let payloads = try split(bytes)
        return try (payloads.isEmpty ? [Data(bytes)] : payloads).map(expectStable).contains(true)
    } seeds: {
        let received = requests.enumerated().map { ClientEnvelope(id: UInt64($0), $1) }
        let sent = responses.map { DaemonEnvelope(id: 1, $0) }
        return try received.map { try ControlFrame.frame($0) } + sent.map { try ControlFrame.frame($0) }
            + received.filter { $0.binary != nil }.map { try ControlFrame.frame($0, isBinary: true) }
            + sent.filter { $0.binary != nil }.map { try ControlFrame.frame($0, isBinary: true) }
    }

    /// Expects the same frames whether the stream arrives whole or byte by byte.
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
        return try [
            isStable(ClientEnvelope.self, payload), isStable(DaemonEnvelope.self, payload),
            isBinaryStable(ClientEnvelope.self, payload), isBinaryStable(DaemonEnvelope.self, payload),
        ].contains(true)
    }

    /// Expects that a decoded binary message is unchanged by encoding it again, in either form.
    private static func isBinaryStable<Message: Envelope>(_ type: Message.Type, _ payload: Data) throws -> Bool {
        guard let message = accepted({ try Message(binary: Array(payload)) }) else { return false }
        try Violation.unless(
            BinaryFrame.begins(with: payload.first), "a binary message begins with \(payload[payload.startIndex])")
        guard let binary = message.binary, let text = accepted({ try ControlFrame.payload(message) }) else {
            throw Violation("a binary message that was decoded can not be encoded: \(message)")
        }
        try Violation.unless(
            accepted { try Message(binary: binary) } == message,
            "a binary message that is encoded again differs: \(message)")
        let json = accepted { try ControlFrame.decode(type, from: text, calls: calls) }
        try Violation.unless(json == message, "a binary message differs in JSON: \(message)")
        return true
    }

    /// Expects that a decoded message can be encoded again unchanged.
    private static func isStable<Message: Envelope>(_ type: Message.Type, _ payload: Data) throws -> Bool {
        guard let message = accepted({ try ControlFrame.decode(type, from: payload, calls: calls) }) else {
            return false
        }
        guard let text = accepted({ try ControlFrame.payload(message) }) else {
            throw Violation("a message that was decoded cannot be encoded: \(message)")
        }
        let again = accepted { try ControlFrame.decode(type, from: text, calls: calls) }
        try Violation.unless(again == message, "a message that is encoded again differs: \(message)")
        return true
    }

    /// All calls between a daemon and its clients.
    private static let calls = CallRegistry([
        AccessRequest.self, AnswerRequest.self, CheckRequest.self, ClaimsRequest.self, CollectRequest.self,
        ConflictsRequest.self,
        DeletedRequest.self, DiagnoseRequest.self, DownloadRequest.self, EmblemsRequest.self, EvictRequest.self,
        FetchVersionRequest.self,
        FindRequest.self, FinishRequest.self, HelloRequest.self, KeyValuesRequest.self, LatestVersionRequest.self,
        LinksRequest.self, LogLevelRequest.self, MonitorRequest.self, MoveCloudRequest.self, PackageTypesRequest.self,
        ContainerNamesRequest.self,
        PinRequest.self,
        PresentRequest.self,
        PresenterEventsRequest.self, PublishRequest.self, RemoveVersionsRequest.self, ResetRequest.self,
        ResolveRequest.self, RestoreDeletedRequest.self, RestoreRequest.self, ResumeRequest.self,
        PurgeDeletedRequest.self,
        AllowDownloadsRequest.self, DownloadsRequest.self, LimitsRequest.self, ReportMeteredRequest.self,
        SetKeyValuesRequest.self, SetOnlineRequest.self, StatusRequest.self, StopRequest.self, StorageRequest.self,
        SyncRequest.self,
        UnfollowRequest.self, UnpublishRequest.self, VersionsRequest.self, WatchKeyValuesRequest.self,
        WatchRequest.self, WithdrawRequest.self,
        ShareDatabaseRequest.self, AttachDatabaseRequest.self, DatabasesRequest.self, DetachDatabaseRequest.self,
        DatabaseHistoryRequest.self, DatabaseReviewRequest.self, ResolveDatabaseRequest.self,
    ])

    private static let path = (try? MountPath(bytes: Array("CloudDocs/caf".utf8) + [0xE9])) ?? .root
    private static let failure = DaemonFailure(
        .notUploaded, "it is not in the cloud yet", path: "/m/a", advice: "Sync it first.", errno: 16)

    private static let plainPath = (try? MountPath("CloudDocs/Documents/a.txt")) ?? .root

    private static let requests: [any DaemonCall] = [
        HelloRequest(program: "ubiquity"), StatusRequest(paths: [path]), EmblemsRequest(paths: [path]),
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
        ShareDatabaseRequest(
            name: "ledger", container: "CloudDocs", path: "/home/a/l.sqlite", tables: [.init("account")],
            sharesAll: true),
        AttachDatabaseRequest(name: "ledger", container: "CloudDocs", path: "/l", identifier: "8000"),
        DetachDatabaseRequest(name: "ledger"), DatabasesRequest(), DatabaseReviewRequest(name: nil),
        DatabaseHistoryRequest(name: "ledger", table: "account", key: ["a", "1"]),
        ResolveDatabaseRequest(name: nil, table: "account", key: ["a"], column: "note", value: "both"),
    ]

    private static let responses: [DaemonEnvelope.Body] = [
        .failure(failure), .event(.alive), .response(SyncResponse(pendingItems: 0, pendingBytes: 0)),
        .response(ItemsResponse(outcomes: [ItemOutcome(path: path, items: 2, bytes: 3, failure: failure)])),
        .event(.question(PresenterQuestion(presenter: 5, question: 6, parts: [.init(.saveChanges, path: path)]))),
        .event(.event(PresenterEvent(presenter: 5, callback: .subitemDidMove, path: path, from: path))),
        .response(GrantedResponse(paths: [plainPath, plainPath], claim: 18, isWhole: true)),
        .response(DoneResponse()),
    ]
}
