import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

/// A sample of each message, with unusual values where possible.
enum Samples {
    /// A Latin-1 name, not valid UTF-8.
    static let oddPath = (try? MountPath(bytes: Array("CloudDocs/caf".utf8) + [0xE9])) ?? .root
    static let path = (try? MountPath("CloudDocs/Documents/Übung \"1\".txt")) ?? .root

    static let failure = DaemonFailure(
        .notUploaded, "the item is not in the cloud yet", path: "/m/a", advice: "Sync it first.", errno: 16)

    static let mount = MountStatus(
        mount: "/home/u/MobileDocuments", pid: 4711, state: "/home/u/.local/share/ubiquity/devices/MobileDocuments",
        device: DeviceStatus(name: "laptop", id: "00000000000000ff"),
        cloud: CloudStatus(url: "file:///cloud", state: .offline, message: "the folder is gone", reason: .unreachable),
        queue: QueueStatus(uploads: 2, downloads: 1, pendingItems: 3, pendingBytes: 4 << 20),
        transfers: [TransferStatus(path: oddPath, direction: .upload, completedBytes: 10, totalBytes: 40)],
        errors: [failure], containers: ["CloudDocs"], conflicts: 1, cache: CacheStatus(bytes: 1 << 30, limit: 2 << 30))

    static var item: ItemStatus {
        var state = DocumentState(downloading: .downloaded, isUploaded: false, percentUploaded: 100)
        state.size = 1 << 40
        var item = ItemStatus(path: path, kind: .package, state: state, itemID: "8000", container: "CloudDocs")
        item.setFailure(failure, for: .uploadingError)
        item.conflictOf = oddPath
        item.pin = .keep
        item.version = "12.0"
        return item
    }

    static let side = ConflictSide(
        version: "7.0", path: oddPath, device: "desk", modified: WireTime(Timestamp(seconds: 1_700_000_000)), size: 9)

    static let version = DocumentVersion(
        version: "7.0", kind: .history, device: "desk", modified: WireTime(Timestamp(seconds: 1_700_000_000)), size: 9,
        superseded: WireTime(Timestamp(seconds: 1_700_000_100)), isHere: true, file: "/s/versions/1-7.0/a.txt")

    static var found: FoundItem {
        var state = DocumentState(downloading: .downloaded, isUploaded: true)
        state.size = 1 << 40
        state.uploadingError = "the disk is full"
        var found = FoundItem(
            FoundItem.Details(
                item: 17, path: oddPath, kind: .package, contentType: "com.apple.package",
                modified: WireTime(Timestamp(seconds: 1_700_000_000)), created: WireTime(.zero),
                container: "CloudDocs", isInDocuments: true), state)
        found.tags = ["a"]
        found.conflictOf = path
        return found
    }

    static var happening: Happening {
        var happening = Happening(.moved, WireTime(.zero), path: path, from: oddPath)
        happening.item = found
        return happening
    }

    /// The types of all samples.
    static let calls = CallRegistry(sampleCalls.map { type(of: $0) })
    static let requests = sampleCalls.map(DaemonRequest.init)
    static let responses = sampleResponses.map(DaemonResponse.init)

    private static let sampleCalls: [any DaemonCall] = [
        HelloRequest(program: "test"), StatusRequest(paths: [path, oddPath]),
        EmblemsRequest(paths: [path, oddPath, .root]),
        WatchRequest(), SyncRequest(paths: [.root], wait: true, timeout: 1.5),
        DownloadRequest(paths: [path], wait: true), EvictRequest(paths: [oddPath]),
        PinRequest(paths: [path], pin: .evictOnUpdate), StorageRequest(),
        ConflictsRequest(path: .root),
        ResolveRequest(path: path, keep: .version("7.0")), StopRequest(upload: true),
        VersionsRequest(path: oddPath), FetchVersionRequest(path: path, version: "7.0"),
        RestoreRequest(path: path, version: "7.0"),
        RemoveVersionsRequest(path: oddPath, versions: ["7.0", "8.1"]),
        DeletedRequest(path: oddPath, after: "1 2 3", limit: 7),
        RestoreDeletedRequest(path: path, itemID: "8000", to: oddPath),
        PurgeDeletedRequest(
            path: oddPath, olderThan: 604_800, until: WireTime(Timestamp(seconds: 1_700_000_000)), dryRun: true),
        DiagnoseRequest(), ResetRequest(), MoveCloudRequest(cloud: "https://cloud.example.com"), CheckRequest(),
        CollectRequest(dryRun: true),
        AccessRequest(
            accesses: [WantedAccess(path: oddPath, mode: .write, options: [.forMerging])], purpose: "p", timeout: 2,
            within: 3, withinPresenter: 4, presenter: 5),
        FinishRequest(claim: 3), ClaimsRequest(),
        PresentRequest(
            path: oddPath, callbacks: [.saveChanges, .didMove], purpose: "p", observed: [.fact(.isUploaded)]),
        WithdrawRequest(presenter: 5), PresenterEventsRequest(),
        AnswerRequest(question: 6, failure: "the disk is full"),
        FindRequest(
            predicate: "name LIKE '*.txt'", scopes: [.documents, .external], containers: ["CloudDocs"], live: true,
            interval: 0.5, acceptsWords: true),
        MonitorRequest(),
        ContainerNamesRequest(container: "CloudDocs", ignoresCase: true),
        PackageTypesRequest(container: "CloudDocs", add: ["mydoc"], remove: ["old"]),
        KeyValuesRequest(container: "CloudDocs", keys: ["a"]),
        SetKeyValuesRequest(container: "CloudDocs", set: ["a": Data([1, 2])], remove: ["b"]),
        WatchKeyValuesRequest(container: "CloudDocs"), UnfollowRequest(request: 7),
        PublishRequest(path: oddPath, seconds: 604_800, password: "secret", timeout: 1.5),
        LinksRequest(), UnpublishRequest(link: 4),
        LatestVersionRequest(path: path, timeout: 5), SetOnlineRequest(isOnline: false),
        LogLevelRequest(level: "debug"), DownloadsRequest(days: 7), AllowDownloadsRequest(program: "indexer"),
        LimitsRequest(up: 500_000, down: 0, onMetered: .continue), ReportMeteredRequest(isMetered: true),
        ResumeRequest(path: oddPath, edits: .uploadUnlessConflict, seen: "7.0", staysPaused: true, timeout: 5),
        ShareDatabaseRequest(
            name: "ledger", container: "CloudDocs", path: "/home/a/l.sqlite", tables: [sharedTable], sharesAll: true),
        AttachDatabaseRequest(
            name: "ledger", container: "CloudDocs", path: "/home/a/l.sqlite", identifier: "8000", sendsRows: true),
        DatabasesRequest(), DetachDatabaseRequest(name: "ledger", container: "CloudDocs", discardsUnpublished: true),
        DatabaseHistoryRequest(name: "ledger", container: "CloudDocs", table: "account", key: ["a", "1"]),
        DatabaseReviewRequest(name: "ledger", container: "CloudDocs"),
        ResolveDatabaseRequest(
            name: "ledger", container: "CloudDocs", table: "account", key: ["a"], column: "note", device: "desk",
            value: "both"),
    ]

    private static var sharedTable: ShareDatabaseRequest.Table {
        var table = ShareDatabaseRequest.Table("account")
        (table.unify, table.counters, table.sets, table.conflicts) = (["name"], ["balance"], ["tags"], ["note"])
        return table
    }

    private static var database: DatabaseStatus {
        var status = DatabaseStatus(
            name: "ledger", container: "CloudDocs", path: "/home/a/l.sqlite", identifier: "8000")
        let time = WireTime(Timestamp(seconds: 1_700_000_000))
        (status.state, status.tables, status.devices, status.pending) = (.waiting, ["account"], ["desk"], 3)
        (status.lastPublished, status.lastImported, status.asOf) = (time, time, time)
        (status.conflicts, status.aside, status.refused, status.lost) = (1, 2, 3, 4)
        status.problem = DatabaseStatus.Problem(message: "locked", advice: "Wait.", since: time)
        status.notes = ["The table x stays on this device."]
        return status
    }

    private static let cell = DatabaseValueText(.text, "a", isCut: true)
    private static let origin = DatabaseOrigin(
        device: "desk", isThisDevice: true, time: WireTime(Timestamp(seconds: 1_700_000_000)))
    private static let candidate = DatabaseCandidate(value: cell, origin: origin)
    private static let lost = DatabaseLostValue(
        table: "account", key: [cell], column: "note", lost: candidate, replacedBy: origin, reason: "a later edit")

    private static let sampleResponses: [any CallResponse] = [
        HelloResponse(pid: 1, mount: "/m", state: "/s"),
        StatusResponse(mount: mount, items: [item], failures: [failure]),
        EmblemsResponse(emblems: DocumentEmblem.allCases),
        ItemsResponse(outcomes: [ItemOutcome(path: oddPath, items: 2, bytes: 3, failure: failure)]),
        SyncResponse(pendingItems: 0, pendingBytes: 0),
        StorageResponse(containers: [
            ContainerStorage(
                name: "com.example.app", folder: "com~example~app",
                areas: [StorageArea(name: "Data", isDocuments: false, files: 1, localBytes: 2, cloudBytes: 3)],
                versionBytes: 4)
        ]),
        ConflictsResponse(conflicts: [ConflictedItem(path: path, current: side, versions: [side])]),
        VersionsResponse(path: oddPath, isDeleted: true, versions: [version]),
        FetchVersionResponse(version: version),
        DeletedResponse(
            items: [
                DeletedEntry(
                    itemID: "8000", path: oddPath, kind: .folder,
                    deleted: WireTime(Timestamp(seconds: 1_700_000_000)),
                    device: "desk", size: 9, items: 3)
            ], next: "1 2 3"),
        RestoreDeletedResponse(path: oddPath, items: 4, missing: 1),
        PurgeDeletedResponse(
            items: 3, bytes: 1_048_576, unsent: 1, until: WireTime(Timestamp(seconds: 1_700_000_000))),
        ResolveResponse(resolved: 1), DiagnoseResponse(report: "all\nwell"),
        ResetResponse(pendingItems: 2),
        CheckResponse(checkedItems: 1, checkedBytes: 2, problems: [failure], problemCount: 1),
        LogLevelResponse(level: "debug"),
        LimitsResponse(up: 500_000, onMetered: .wait),
        DownloadsResponse(days: [
            DownloadDay(
                day: "2026-11-23",
                sources: [
                    DownloadSource(cause: "program", program: "cp", documents: 2, bytes: 3_000),
                    DownloadSource(cause: "kept", documents: 1, bytes: 10),
                ])
        ]),
        CollectResponse(containers: [
            CollectedContainer(
                container: "CloudDocs", storedChunks: 5, storedBytes: 6, garbageChunks: 1, garbageBytes: 2,
                removedChunks: 3, removedBytes: 4, proposedSince: WireTime(Timestamp(seconds: 1_700_000_000)),
                failure: failure)
        ]),
        GrantedResponse(paths: [oddPath], claim: 7),
        ClaimsResponse(
            items: [
                ClaimedItem(
                    path: path,
                    claims: [
                        ClaimStatus(
                            claim: 7, program: "ubiquity", pid: 4711, mode: .read, stage: .waiting, seconds: 1.5,
                            waitsFor: [3], waitsForPresenters: [5], isStopped: true)
                    ],
                    presenters: [
                        PresenterStatus(
                            presenter: 5, program: "NoteTaker", pid: 4712, unanswered: 1, isSilent: true)
                    ])
            ], transfers: [TransferStatus(path: path, direction: .download, completedBytes: 1, totalBytes: 4)]),
        PublishedResponse(
            link: 4, url: "https://cloud.example.org/p/x", expires: WireTime(Timestamp(seconds: 1_800_000_000))),
        LinksResponse(links: [
            PublishedDocument(
                link: 4, container: "CloudDocs", name: "a.txt", size: 3,
                created: WireTime(Timestamp(seconds: 1_700_000_000)),
                expires: WireTime(Timestamp(seconds: 1_800_000_000)), hasPassword: true)
        ]),
        PresentingResponse(presenter: 5),
        ContainerNamesResponse(ignoresCase: true, isInCloud: false),
        PackageTypesResponse(builtIn: ["app"], declared: ["mydoc"]),
        KeyValuesResponse(values: ["ä": Data([1, 0, 255])]), DoneResponse(),
        DatabaseResponse(database),
        DatabasesResponse(
            databases: [database],
            available: [
                AvailableDatabase(
                    name: "ledger", container: "CloudDocs", identifier: "8000", tables: ["account"], path: "/l")
            ]),
        DatabaseHistoryResponse(
            table: "account", key: [cell], created: origin, deleted: origin, aside: "its parent is missing",
            columns: [.init(name: "note", current: candidate, others: [candidate])], lost: [lost]),
        DatabaseReviewResponse(
            name: "ledger",
            conflicts: [
                .init(table: "account", key: [cell], column: "note", current: candidate, others: [candidate])
            ],
            aside: [.init(table: "account", key: [cell], origin: origin, reason: "its parent is missing")],
            lost: [lost]),
    ]

    static let events: [DaemonEvent] = [
        .alive, .status(StatusResponse(mount: mount)),
        .question(
            PresenterQuestion(
                presenter: 5, question: 6,
                parts: [.init(.relinquishToWriter), .init(.accommodateSubitemDeletion, path: oddPath)])),
        .reacquire(PresenterReacquire(presenter: 5, question: 6)),
        .event(PresenterEvent(presenter: 5, callback: .subitemDidMove, path: path, from: oddPath)),
        .event(PresenterEvent(presenter: 5, callback: .didGainVersion, version: "7.0")),
        .found(FoundItems(phase: .update, added: [found], changed: [found], removed: [9])), .happened(happening),
        .keyValues(KeyValueEvent(reason: .quotaViolation, keys: ["a"])),
    ]
}
