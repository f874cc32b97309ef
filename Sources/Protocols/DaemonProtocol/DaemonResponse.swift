/// A response of the daemon. On the wire an object with one key: `{"items": {…}}`.
package enum DaemonResponse: Hashable, Sendable {
    case hello(HelloResponse)
    case status(StatusResponse)
    case items(ItemsResponse)
    case storage(StorageResponse)
    case sync(SyncResponse)
    case conflicts(ConflictsResponse)
    case resolve(ResolveResponse)
    case versions(VersionsResponse)
    case fetchVersion(FetchVersionResponse)
    case deleted(DeletedResponse)
    case restoreDeleted(RestoreDeletedResponse)
    case diagnose(DiagnoseResponse)
    case reset(ResetResponse)
    case check(CheckResponse)
    case granted(GrantedResponse)
    case claims(ClaimsResponse)
    case presenting(PresentingResponse)
    case keyValues(KeyValuesResponse)
    case packageTypes(PackageTypesResponse)
    case published(PublishedResponse)
    case links(LinksResponse)
    /// The request is done and has no result.
    case done(DoneResponse)
}

extension DaemonResponse: Codable {
    private enum Kind: String, CodingKey {
        case hello, status, items, sync, conflicts, resolve, versions, fetchVersion, deleted, restoreDeleted, diagnose,
            reset, check, granted, claims, presenting, keyValues, packageTypes, published, links, storage, done
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
            throw DaemonFailure(
                .unsupported, "the daemon's response is of a kind that this program does not know",
                advice: "Use programs of one release: restart the daemon after an update.")
        }
        switch kind {
        case .hello: self = .hello(try container.decode(HelloResponse.self, forKey: kind))
        case .status: self = .status(try container.decode(StatusResponse.self, forKey: kind))
        case .items: self = .items(try container.decode(ItemsResponse.self, forKey: kind))
        case .storage: self = .storage(try container.decode(StorageResponse.self, forKey: kind))
        case .sync: self = .sync(try container.decode(SyncResponse.self, forKey: kind))
        case .conflicts: self = .conflicts(try container.decode(ConflictsResponse.self, forKey: kind))
        case .resolve: self = .resolve(try container.decode(ResolveResponse.self, forKey: kind))
        case .versions: self = .versions(try container.decode(VersionsResponse.self, forKey: kind))
        case .fetchVersion: self = .fetchVersion(try container.decode(FetchVersionResponse.self, forKey: kind))
        case .deleted: self = .deleted(try container.decode(DeletedResponse.self, forKey: kind))
        case .restoreDeleted:
            self = .restoreDeleted(try container.decode(RestoreDeletedResponse.self, forKey: kind))
        case .diagnose: self = .diagnose(try container.decode(DiagnoseResponse.self, forKey: kind))
        case .reset: self = .reset(try container.decode(ResetResponse.self, forKey: kind))
        case .check: self = .check(try container.decode(CheckResponse.self, forKey: kind))
        case .granted: self = .granted(try container.decode(GrantedResponse.self, forKey: kind))
        case .claims: self = .claims(try container.decode(ClaimsResponse.self, forKey: kind))
        case .presenting: self = .presenting(try container.decode(PresentingResponse.self, forKey: kind))
        case .keyValues: self = .keyValues(try container.decode(KeyValuesResponse.self, forKey: kind))
        case .packageTypes: self = .packageTypes(try container.decode(PackageTypesResponse.self, forKey: kind))
        case .published: self = .published(try container.decode(PublishedResponse.self, forKey: kind))
        case .links: self = .links(try container.decode(LinksResponse.self, forKey: kind))
        case .done: self = .done(try container.decode(DoneResponse.self, forKey: kind))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .hello(let response): try container.encode(response, forKey: .hello)
        case .status(let response): try container.encode(response, forKey: .status)
        case .items(let response): try container.encode(response, forKey: .items)
        case .storage(let response): try container.encode(response, forKey: .storage)
        case .sync(let response): try container.encode(response, forKey: .sync)
        case .conflicts(let response): try container.encode(response, forKey: .conflicts)
        case .resolve(let response): try container.encode(response, forKey: .resolve)
        case .versions(let response): try container.encode(response, forKey: .versions)
        case .fetchVersion(let response): try container.encode(response, forKey: .fetchVersion)
        case .deleted(let response): try container.encode(response, forKey: .deleted)
        case .restoreDeleted(let response): try container.encode(response, forKey: .restoreDeleted)
        case .diagnose(let response): try container.encode(response, forKey: .diagnose)
        case .reset(let response): try container.encode(response, forKey: .reset)
        case .check(let response): try container.encode(response, forKey: .check)
        case .granted(let response): try container.encode(response, forKey: .granted)
        case .claims(let response): try container.encode(response, forKey: .claims)
        case .presenting(let response): try container.encode(response, forKey: .presenting)
        case .keyValues(let response): try container.encode(response, forKey: .keyValues)
        case .packageTypes(let response): try container.encode(response, forKey: .packageTypes)
        case .published(let response): try container.encode(response, forKey: .published)
        case .links(let response): try container.encode(response, forKey: .links)
        case .done(let response): try container.encode(response, forKey: .done)
        }
    }
}
