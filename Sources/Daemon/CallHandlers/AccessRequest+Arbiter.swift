import ClaimService
import ControlServer
import Coordination
import DaemonProtocol

extension ClientContext: ClaimClient {}

extension ClaimRequest {
    init(_ request: AccessRequest, _ accesses: [Access], _ client: ClientContext) {
        let id = ClientID(client.connection)
        self.init(
            client: id, purpose: request.purpose.map { .named($0) } ?? .coordinator(id, client.request),
            accesses: accesses, presenter: request.presenter.map { PresenterID($0) }, enclosure: request.enclosure,
            patience: request.timeout.map { .seconds($0) })
    }
}

extension AccessRequest {
    fileprivate var enclosure: Enclosure? {
        within.map { .claim(ClaimID($0)) } ?? withinPresenter.map { .presenter(PresenterID($0)) }
    }

    func validate() throws(DaemonFailure) {
        guard (1...64).contains(accesses.count) else {
            throw DaemonFailure(.invalidRequest, "a claim has 1 to 64 items, not \(accesses.count)")
        }
        guard timeout.map({ $0 > 0 && $0 < 1e9 }) ?? true else {
            throw DaemonFailure(.invalidRequest, "the timeout is a number of seconds above 0")
        }
        guard (purpose?.utf8.count ?? 1) <= 256 else {
            throw DaemonFailure(.invalidRequest, "a purpose has at most 256 bytes")
        }
    }
}

extension Access.Mode {
    init(_ wanted: WantedAccess) throws(DaemonFailure) {
        switch wanted.mode {
        case .read:
            let options = wanted.options.map(ReadingOptions.init)
            guard !options.contains(nil) else { throw Self.mismatch(wanted) }
            self = .reading(ReadingOptions(options.compactMap(\.self)))
        case .write:
            let options = wanted.options.map(WritingOption.init)
            guard !options.contains(nil), options.count <= 1 else { throw Self.mismatch(wanted) }
            self = .writing(options.first ?? nil)
        }
    }

    private static func mismatch(_ wanted: WantedAccess) -> DaemonFailure {
        let options = wanted.options.map(\.rawValue).joined(separator: ", ")
        return DaemonFailure(.invalidRequest, "these options do not apply to a \(wanted.mode.rawValue): \(options)")
    }
}

extension ReadingOptions {
    fileprivate init?(_ option: AccessOption) {
        switch option {
        case .withoutChanges: self = .withoutChanges
        case .immediatelyAvailableMetadataOnly: self = .immediatelyAvailableMetadataOnly
        case .forUploading: self = .forUploading
        default: return nil
        }
    }
}

extension WritingOption {
    fileprivate init?(_ option: AccessOption) {
        switch option {
        case .forDeleting: self = .deleting
        case .forMoving: self = .moving
        case .forMerging: self = .merging
        case .forReplacing: self = .replacing
        case .contentIndependentMetadataOnly: self = .contentIndependentMetadataOnly
        default: return nil
        }
    }
}

extension DaemonFailure {
    init(_ error: ClaimError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .deadlock: .deadlock
            case .itemGone: .notFound
            case .presenterFailed, .presenterKeepsItem: .busy
            }
        self.init(code, sentences: error.message)
    }
}
