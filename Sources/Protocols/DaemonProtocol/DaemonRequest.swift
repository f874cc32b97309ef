/// A request of a client. On the wire an object with one key, the verb: `{"evict": {"paths": […]}}`.
package enum DaemonRequest: Hashable, Sendable {
    /// The first request of every connection.
    case hello(HelloRequest)
    case status(StatusRequest)
    /// The daemon sends events until the client disconnects.
    case watch(WatchRequest)
    case sync(SyncRequest)
    case download(DownloadRequest)
    case evict(EvictRequest)
    case pin(PinRequest)
    case storage(StorageRequest)
    case conflicts(ConflictsRequest)
    case resolve(ResolveRequest)
    case versions(VersionsRequest)
    case fetchVersion(FetchVersionRequest)
    case restore(RestoreRequest)
    case removeVersions(RemoveVersionsRequest)
    case deleted(DeletedRequest)
    case restoreDeleted(RestoreDeletedRequest)
    case stop(StopRequest)
    case diagnose(DiagnoseRequest)
    case reset(ResetRequest)
    case check(CheckRequest)
    case claim(AccessRequest)
    case finish(FinishRequest)
    case claims(ClaimsRequest)
    case present(PresentRequest)
    case withdraw(WithdrawRequest)
    /// The daemon sends events until the client disconnects.
    case letters(PresenterEventsRequest)
    case answer(AnswerRequest)
    /// The daemon sends events and then `done`; for a live query, events until the client disconnects.
    case find(FindRequest)
    /// The daemon sends events until the client disconnects.
    case monitor(MonitorRequest)
    case keyValues(KeyValuesRequest)
    case setKeyValues(SetKeyValuesRequest)
    /// The daemon sends events until the client disconnects.
    case watchKeyValues(WatchKeyValuesRequest)
    case packageTypes(PackageTypesRequest)
    case unfollow(UnfollowRequest)
    case publish(PublishRequest)
    case links(LinksRequest)
    case unpublish(UnpublishRequest)
    case latestVersion(LatestVersionRequest)
    case resume(ResumeRequest)
}

extension DaemonRequest {
    /// Whether the request never waits while others may wait for it: it is done at once, whatever else is under way.
    package var isBrief: Bool {
        switch self {
        case .finish, .answer, .withdraw, .unfollow: true
        default: false
        }
    }
}

extension DaemonRequest {
    /// Whether the response depends on other requests: it does not count against the limit of requests, some of which may unblock it.
    package var waits: Bool {
        switch self {
        case .claim: true
        case .download(let download): download.wait
        default: false
        }
    }
}

extension DaemonRequest {
    /// Whether the client wants a response.
    package var isAnswered: Bool {
        if case .finish(let finish) = self { finish.isQuiet != true } else { true }
    }
}

extension DaemonRequest {
    /// Whether the daemon sends events for as long as the client wants: it does not count against the limit of requests that end.
    package var isStream: Bool {
        switch self {
        case .find, .monitor, .watchKeyValues: true
        default: false
        }
    }
}

extension DaemonRequest: Codable {
    private enum Verb: String, CodingKey {
        case hello, status, watch, sync, download, evict, pin, conflicts, resolve, versions, fetchVersion, restore,
            removeVersions, deleted, restoreDeleted, stop, diagnose, reset, check, claim, finish, claims, present,
            withdraw, letters, answer,
            find, monitor, keyValues, setKeyValues, watchKeyValues, unfollow, publish, links, unpublish,
            latestVersion, resume, packageTypes, storage
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Verb.self)
        guard let verb = container.allKeys.first, container.allKeys.count == 1 else {
            throw DaemonFailure(
                .unsupported, "the request has no verb that this daemon knows",
                advice: "Use programs of one release: restart the daemon after an update.")
        }
        switch verb {
        case .hello: self = .hello(try container.decode(HelloRequest.self, forKey: verb))
        case .status: self = .status(try container.decode(StatusRequest.self, forKey: verb))
        case .watch: self = .watch(try container.decode(WatchRequest.self, forKey: verb))
        case .sync: self = .sync(try container.decode(SyncRequest.self, forKey: verb))
        case .download: self = .download(try container.decode(DownloadRequest.self, forKey: verb))
        case .evict: self = .evict(try container.decode(EvictRequest.self, forKey: verb))
        case .pin: self = .pin(try container.decode(PinRequest.self, forKey: verb))
        case .conflicts: self = .conflicts(try container.decode(ConflictsRequest.self, forKey: verb))
        case .resolve: self = .resolve(try container.decode(ResolveRequest.self, forKey: verb))
        case .versions: self = .versions(try container.decode(VersionsRequest.self, forKey: verb))
        case .fetchVersion: self = .fetchVersion(try container.decode(FetchVersionRequest.self, forKey: verb))
        case .restore: self = .restore(try container.decode(RestoreRequest.self, forKey: verb))
        case .removeVersions: self = .removeVersions(try container.decode(RemoveVersionsRequest.self, forKey: verb))
        case .deleted: self = .deleted(try container.decode(DeletedRequest.self, forKey: verb))
        case .restoreDeleted:
            self = .restoreDeleted(try container.decode(RestoreDeletedRequest.self, forKey: verb))
        case .stop: self = .stop(try container.decode(StopRequest.self, forKey: verb))
        case .diagnose: self = .diagnose(try container.decode(DiagnoseRequest.self, forKey: verb))
        case .reset: self = .reset(try container.decode(ResetRequest.self, forKey: verb))
        case .check: self = .check(try container.decode(CheckRequest.self, forKey: verb))
        case .claim: self = .claim(try container.decode(AccessRequest.self, forKey: verb))
        case .finish: self = .finish(try container.decode(FinishRequest.self, forKey: verb))
        case .claims: self = .claims(try container.decode(ClaimsRequest.self, forKey: verb))
        case .present: self = .present(try container.decode(PresentRequest.self, forKey: verb))
        case .withdraw: self = .withdraw(try container.decode(WithdrawRequest.self, forKey: verb))
        case .letters: self = .letters(try container.decode(PresenterEventsRequest.self, forKey: verb))
        case .answer: self = .answer(try container.decode(AnswerRequest.self, forKey: verb))
        case .storage: self = .storage(try container.decode(StorageRequest.self, forKey: verb))
        case .find: self = .find(try container.decode(FindRequest.self, forKey: verb))
        case .monitor: self = .monitor(try container.decode(MonitorRequest.self, forKey: verb))
        case .keyValues: self = .keyValues(try container.decode(KeyValuesRequest.self, forKey: verb))
        case .setKeyValues: self = .setKeyValues(try container.decode(SetKeyValuesRequest.self, forKey: verb))
        case .packageTypes: self = .packageTypes(try container.decode(PackageTypesRequest.self, forKey: verb))
        case .unfollow: self = .unfollow(try container.decode(UnfollowRequest.self, forKey: verb))
        case .watchKeyValues: self = .watchKeyValues(try container.decode(WatchKeyValuesRequest.self, forKey: verb))
        case .publish: self = .publish(try container.decode(PublishRequest.self, forKey: verb))
        case .links: self = .links(try container.decode(LinksRequest.self, forKey: verb))
        case .unpublish: self = .unpublish(try container.decode(UnpublishRequest.self, forKey: verb))
        case .latestVersion: self = .latestVersion(try container.decode(LatestVersionRequest.self, forKey: verb))
        case .resume: self = .resume(try container.decode(ResumeRequest.self, forKey: verb))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Verb.self)
        switch self {
        case .hello(let request): try container.encode(request, forKey: .hello)
        case .status(let request): try container.encode(request, forKey: .status)
        case .watch(let request): try container.encode(request, forKey: .watch)
        case .sync(let request): try container.encode(request, forKey: .sync)
        case .download(let request): try container.encode(request, forKey: .download)
        case .evict(let request): try container.encode(request, forKey: .evict)
        case .storage(let request): try container.encode(request, forKey: .storage)
        case .pin(let request): try container.encode(request, forKey: .pin)
        case .conflicts(let request): try container.encode(request, forKey: .conflicts)
        case .resolve(let request): try container.encode(request, forKey: .resolve)
        case .versions(let request): try container.encode(request, forKey: .versions)
        case .fetchVersion(let request): try container.encode(request, forKey: .fetchVersion)
        case .restore(let request): try container.encode(request, forKey: .restore)
        case .removeVersions(let request): try container.encode(request, forKey: .removeVersions)
        case .deleted(let request): try container.encode(request, forKey: .deleted)
        case .restoreDeleted(let request): try container.encode(request, forKey: .restoreDeleted)
        case .stop(let request): try container.encode(request, forKey: .stop)
        case .diagnose(let request): try container.encode(request, forKey: .diagnose)
        case .reset(let request): try container.encode(request, forKey: .reset)
        case .check(let request): try container.encode(request, forKey: .check)
        case .claim(let request): try container.encode(request, forKey: .claim)
        case .finish(let request): try container.encode(request, forKey: .finish)
        case .claims(let request): try container.encode(request, forKey: .claims)
        case .present(let request): try container.encode(request, forKey: .present)
        case .withdraw(let request): try container.encode(request, forKey: .withdraw)
        case .letters(let request): try container.encode(request, forKey: .letters)
        case .answer(let request): try container.encode(request, forKey: .answer)
        case .find(let request): try container.encode(request, forKey: .find)
        case .monitor(let request): try container.encode(request, forKey: .monitor)
        case .keyValues(let request): try container.encode(request, forKey: .keyValues)
        case .setKeyValues(let request): try container.encode(request, forKey: .setKeyValues)
        case .packageTypes(let request): try container.encode(request, forKey: .packageTypes)
        case .unfollow(let request): try container.encode(request, forKey: .unfollow)
        case .watchKeyValues(let request): try container.encode(request, forKey: .watchKeyValues)
        case .publish(let request): try container.encode(request, forKey: .publish)
        case .links(let request): try container.encode(request, forKey: .links)
        case .unpublish(let request): try container.encode(request, forKey: .unpublish)
        case .latestVersion(let request): try container.encode(request, forKey: .latestVersion)
        case .resume(let request): try container.encode(request, forKey: .resume)
        }
    }
}
