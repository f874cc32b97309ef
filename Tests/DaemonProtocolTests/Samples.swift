import Basics
import CloudModel
import DaemonProtocol
import FoundationEssentials

/// One sample of each message, with unusual values where possible.
enum Samples {
    /// A name that is Latin-1, not UTF-8.
    static let oddPath = (try? MountPath(bytes: Array("CloudDocs/caf".utf8) + [0xE9])) ?? .root
    static let path = (try? MountPath("CloudDocs/Documents/Übung \"1\".txt")) ?? .root

    static let failure = DaemonFailure(
        .notUploaded, "the item is not in the cloud yet", path: "/m/a", advice: "Sync it first.", errno: 16)

    static let mount = MountStatus(
        mount: "/home/u/MobileDocuments", pid: 4711, state: "/home/u/.local/share/ubiquity/devices/MobileDocuments",
        device: DeviceStatus(name: "laptop", id: "00000000000000ff"),
        cloud: CloudStatus(url: "file:///cloud", state: .offline, message: "the folder is gone"),
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

    static let requests: [DaemonRequest] = [
        .hello(HelloRequest(program: "test")), .status(StatusRequest(paths: [path, oddPath])),
        .watch(WatchRequest()), .sync(SyncRequest(paths: [.root], wait: true, timeout: 1.5)),
        .download(DownloadRequest(paths: [path], wait: true)), .evict(EvictRequest(paths: [oddPath])),
        .pin(PinRequest(paths: [path], pin: .evictOnUpdate)), .storage(StorageRequest()),
        .conflicts(ConflictsRequest(path: .root)),
        .resolve(ResolveRequest(path: path, keep: .version("7.0"))), .stop(StopRequest(upload: true)),
        .versions(VersionsRequest(path: oddPath)), .fetchVersion(FetchVersionRequest(path: path, version: "7.0")),
        .restore(RestoreRequest(path: path, version: "7.0")),
        .removeVersions(RemoveVersionsRequest(path: oddPath, versions: ["7.0", "8.1"])),
        .deleted(DeletedRequest(path: oddPath, after: "1 2 3", limit: 7)),
        .restoreDeleted(RestoreDeletedRequest(path: path, itemID: "8000", to: oddPath)),
        .diagnose(DiagnoseRequest()), .reset(ResetRequest()), .check(CheckRequest()),
        .claim(
            AccessRequest(
                accesses: [WantedAccess(path: oddPath, mode: .write, options: [.forMerging])], purpose: "p", timeout: 2,
                within: 3, withinPresenter: 4, presenter: 5)),
        .finish(FinishRequest(claim: 3)), .claims(ClaimsRequest()),
        .present(
            PresentRequest(
                path: oddPath, callbacks: [.saveChanges, .didMove], purpose: "p", observed: [.fact(.isUploaded)])),
        .withdraw(WithdrawRequest(presenter: 5)), .letters(PresenterEventsRequest()),
        .answer(AnswerRequest(question: 6, failure: "the disk is full")),
        .find(
            FindRequest(
                predicate: "name LIKE '*.txt'", scopes: [.documents, .external], containers: ["CloudDocs"], live: true,
                interval: 0.5, acceptsWords: true)),
        .monitor(MonitorRequest()),
        .packageTypes(PackageTypesRequest(container: "CloudDocs", add: ["mydoc"], remove: ["old"])),
        .keyValues(KeyValuesRequest(container: "CloudDocs", keys: ["a"])),
        .setKeyValues(SetKeyValuesRequest(container: "CloudDocs", set: ["a": Data([1, 2])], remove: ["b"])),
        .watchKeyValues(WatchKeyValuesRequest(container: "CloudDocs")), .unfollow(UnfollowRequest(request: 7)),
        .publish(PublishRequest(path: oddPath, seconds: 604_800, password: "secret", timeout: 1.5)),
        .links(LinksRequest()), .unpublish(UnpublishRequest(link: 4)),
        .latestVersion(LatestVersionRequest(path: path, timeout: 5)),
        .resume(
            ResumeRequest(path: oddPath, edits: .uploadUnlessConflict, seen: "7.0", staysPaused: true, timeout: 5)),
    ]

    static let responses: [DaemonResponse] = [
        .hello(HelloResponse(pid: 1, mount: "/m", state: "/s")),
        .status(StatusResponse(mount: mount, items: [item], failures: [failure])),
        .items(ItemsResponse(outcomes: [ItemOutcome(path: oddPath, items: 2, bytes: 3, failure: failure)])),
        .sync(SyncResponse(pendingItems: 0, pendingBytes: 0)),
        .storage(
            StorageResponse(containers: [
                ContainerStorage(
                    name: "com.example.app", folder: "com~example~app",
                    areas: [StorageArea(name: "Data", isDocuments: false, files: 1, localBytes: 2, cloudBytes: 3)],
                    versionBytes: 4)
            ])),
        .conflicts(ConflictsResponse(conflicts: [ConflictedItem(path: path, current: side, versions: [side])])),
        .versions(VersionsResponse(path: oddPath, isDeleted: true, versions: [version])),
        .fetchVersion(FetchVersionResponse(version: version)),
        .deleted(
            DeletedResponse(
                items: [
                    DeletedEntry(
                        itemID: "8000", path: oddPath, kind: .folder,
                        deleted: WireTime(Timestamp(seconds: 1_700_000_000)),
                        device: "desk", size: 9, items: 3)
                ], next: "1 2 3")),
        .restoreDeleted(RestoreDeletedResponse(path: oddPath, items: 4, missing: 1)),
        .resolve(ResolveResponse(resolved: 1)), .diagnose(DiagnoseResponse(report: "all\nwell")),
        .reset(ResetResponse(pendingItems: 2)),
        .check(CheckResponse(checkedItems: 1, checkedBytes: 2, problems: [failure], problemCount: 1)),
        .granted(GrantedResponse(paths: [oddPath], claim: 7)),
        .claims(
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
                ], transfers: [TransferStatus(path: path, direction: .download, completedBytes: 1, totalBytes: 4)])),
        .published(
            PublishedResponse(
                link: 4, url: "https://cloud.example.org/p/x", expires: WireTime(Timestamp(seconds: 1_800_000_000)))),
        .links(
            LinksResponse(links: [
                PublishedDocument(
                    link: 4, container: "CloudDocs", name: "a.txt", size: 3,
                    created: WireTime(Timestamp(seconds: 1_700_000_000)),
                    expires: WireTime(Timestamp(seconds: 1_800_000_000)), hasPassword: true)
            ])),
        .presenting(PresentingResponse(presenter: 5)),
        .packageTypes(PackageTypesResponse(builtIn: ["app"], declared: ["mydoc"])),
        .keyValues(KeyValuesResponse(values: ["ä": Data([1, 0, 255])])), .done(DoneResponse()),
    ]

    static let events: [DaemonEvent] = [
        .alive, .status(StatusResponse(mount: mount)),
        .question(
            PresenterQuestion(
                presenter: 5, question: 6,
                parts: [.init(.relinquishToWriter), .init(.accommodateSubitemDeletion, path: oddPath)])),
        .comeBack(PresenterReturn(presenter: 5, question: 6)),
        .news(PresenterEvent(presenter: 5, callback: .subitemDidMove, path: path, from: oddPath)),
        .news(PresenterEvent(presenter: 5, callback: .didGainVersion, version: "7.0")),
        .found(FoundItems(phase: .update, added: [found], changed: [found], removed: [9])), .happened(happening),
        .keyValues(KeyValueEvent(reason: .quotaViolation, keys: ["a"])),
    ]
}
