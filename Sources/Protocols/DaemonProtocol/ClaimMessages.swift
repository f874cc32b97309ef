/// Requests coordinated access to items, all together or none. The response is sent when the access is granted; from then on it is a
/// claim, identified by the number of this request, until ``FinishRequest`` or the end of the connection.
package struct AccessRequest: DaemonCall {
    package typealias Response = GrantedResponse
    package static let verb = "claim"
    package var admission: CallAdmission { .claim }

    package let accesses: [WantedAccess]
    /// Claims of the same purpose never wait for each other, across connections. Nil gives this request a separate
    /// purpose.
    package let purpose: String?
    /// Seconds to wait before the request fails with `timedOut`; nil waits without a limit.
    package let timeout: Double?
    /// The daemon's number of the claim inside which this is requested. Only claims of this connection or of the same
    /// purpose count.
    package let within: UInt64?
    /// The presenter requesting this inside its callback, unless in a claim.
    package let withinPresenter: UInt64?
    /// This connection's presenter to which the access belongs; it gets no questions and no notifications about it.
    package let presenter: UInt64?

    package init(
        accesses: [WantedAccess], purpose: String? = nil, timeout: Double? = nil, within: UInt64? = nil,
        withinPresenter: UInt64? = nil, presenter: UInt64? = nil
    ) {
        self.accesses = accesses
        self.purpose = purpose
        self.timeout = timeout
        self.within = within
        self.withinPresenter = withinPresenter
        self.presenter = presenter
    }
}

/// An item of a request. The path need not exist yet, but its folder must.
package struct WantedAccess: Codable, Hashable, Sendable {
    package let path: MountPath
    package let mode: AccessMode
    package let options: [AccessOption]

    package init(path: MountPath, mode: AccessMode, options: [AccessOption] = []) {
        self.path = path
        self.mode = mode
        self.options = options
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(MountPath.self, forKey: .path)
        mode = try container.decode(AccessMode.self, forKey: .mode)
        options = try container.decodeIfPresent([AccessOption].self, forKey: .options) ?? []
    }
}

package enum AccessMode: String, Codable, Hashable, Sendable { case read, write }

/// The purpose of a read or a write; see docs/COORDINATION.md. A write may have at most one option.
package enum AccessOption: String, Codable, Hashable, Sendable, CaseIterable {
    case withoutChanges, immediatelyAvailableMetadataOnly, forUploading
    case forDeleting, forMoving, forMerging, forReplacing, contentIndependentMetadataOnly
}

package struct GrantedResponse: CallResponse {
    package static let kind = "granted"

    /// The current paths of the items, in the order of the request.
    package let paths: [MountPath]
    /// The claim's number, unique in this daemon, for ``AccessRequest/within``.
    package let claim: UInt64
    /// True if all items are files with bytes known to be local, so that nothing has to be checked or downloaded before
    /// a read. Nil if this is not known.
    package let isWhole: Bool?

    package init(paths: [MountPath], claim: UInt64, isWhole: Bool? = nil) {
        self.paths = paths
        self.claim = claim
        self.isWhole = isWhole
    }
}

/// Ends a claim, or cancels a waiting request.
package struct FinishRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "finish"
    package var admission: CallAdmission { .brief }
    package var wantsResponse: Bool { isQuiet != true }

    /// The number of the request.
    package let claim: UInt64
    /// If true, the daemon sends no response, whatever the outcome. Nil counts as false.
    package let isQuiet: Bool?

    package init(claim: UInt64, isQuiet: Bool? = nil) {
        self.claim = claim
        self.isQuiet = isQuiet
    }
}

/// Lists the claims of all programs, granted and waiting.
package struct ClaimsRequest: DaemonCall {
    package typealias Response = ClaimsResponse
    package static let verb = "claims"

    package init() {}
}

package struct ClaimsResponse: CallResponse {
    package static let kind = "claims"

    package let items: [ClaimedItem]
    /// Running transfers, for which readers may wait; at most 100. Nil counts as none.
    package let transfers: [TransferStatus]?

    package init(items: [ClaimedItem], transfers: [TransferStatus]? = nil) {
        self.items = items
        self.transfers = transfers
    }
}

package struct ClaimedItem: Codable, Hashable, Sendable {
    package let path: MountPath
    /// The claims, in the order of their requests.
    package let claims: [ClaimStatus]
    /// The presenters of the item.
    package let presenters: [PresenterStatus]

    package init(path: MountPath, claims: [ClaimStatus], presenters: [PresenterStatus] = []) {
        self.path = path
        self.claims = claims
        self.presenters = presenters
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(MountPath.self, forKey: .path)
        claims = try container.decode([ClaimStatus].self, forKey: .claims)
        presenters = try container.decodeIfPresent([PresenterStatus].self, forKey: .presenters) ?? []
    }
}

package struct PresenterStatus: Codable, Hashable, Sendable {
    /// Unique in this daemon.
    package let presenter: UInt64
    package let program: String
    package let pid: Int32
    /// The number of questions not answered by the presenter.
    package let unanswered: Int
    /// Whether the presenter left a question unanswered for so long that claims no longer wait for it.
    package let isSilent: Bool

    package init(presenter: UInt64, program: String, pid: Int32, unanswered: Int, isSilent: Bool) {
        self.presenter = presenter
        self.program = program
        self.pid = pid
        self.unanswered = unanswered
        self.isSilent = isSilent
    }
}

package struct ClaimStatus: Codable, Hashable, Sendable {
    package enum Stage: String, Codable, Hashable, Sendable { case waiting, asking, granted }

    /// Unique in this daemon.
    package let claim: UInt64
    package let program: String
    package let pid: Int32
    package let mode: AccessMode
    package let stage: Stage
    /// Time since the request, or since the grant if it is granted.
    package let seconds: Double
    /// Claims that must end first.
    package let waitsFor: [UInt64]
    /// Presenters that must relinquish the item first. Nil counts as none.
    package let waitsForPresenters: [UInt64]?
    /// Whether the program is stopped, by SIGSTOP or a debugger.
    package let isStopped: Bool

    package init(
        claim: UInt64, program: String, pid: Int32, mode: AccessMode, stage: Stage, seconds: Double,
        waitsFor: [UInt64], waitsForPresenters: [UInt64]? = nil, isStopped: Bool
    ) {
        self.claim = claim
        self.program = program
        self.pid = pid
        self.mode = mode
        self.stage = stage
        self.seconds = seconds
        self.waitsFor = waitsFor
        self.waitsForPresenters = waitsForPresenters
        self.isStopped = isStopped
    }
}
