/// Asks for coordinated access to items, all together or none. Answered when it is granted; then it is a claim, known by the number of
/// this request, until ``FinishRequest`` or the end of the connection.
package struct AccessRequest: Codable, Hashable, Sendable {
    package let accesses: [WantedAccess]
    /// Claims of one purpose never wait for each other, across connections. Nil: this request is one of its own.
    package let purpose: String?
    /// Seconds to wait before it fails with `timedOut`; nil waits as long as it takes.
    package let timeout: Double?
    /// The claim inside of which this is asked, by the daemon's number: of this connection, or of the same purpose. Others are ignored.
    package let within: UInt64?
    /// The presenter inside of whose callback this is asked, if it is in one and not in a claim.
    package let withinPresenter: UInt64?
    /// The presenter of this connection for which it is done: it is not asked and not told.
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

/// One item of a request. A path that has nothing yet stands for what will be there; the folder it is in must exist.
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

/// What a read or a write is for; see docs/COORDINATION.md. Of those of a write there may be one.
package enum AccessOption: String, Codable, Hashable, Sendable, CaseIterable {
    case withoutChanges, immediatelyAvailableMetadataOnly, forUploading
    case forDeleting, forMoving, forMerging, forReplacing, contentIndependentMetadataOnly
}

package struct GrantedResponse: Codable, Hashable, Sendable {
    /// Where the items are now, in the order asked for.
    package let paths: [MountPath]
    /// Unique in this daemon; for ``AccessRequest/within``.
    package let claim: UInt64
    /// True where all items are files whose bytes are known to be here: nothing has to be looked at or fetched before they are read. Nil
    /// says nothing.
    package let isWhole: Bool?

    package init(paths: [MountPath], claim: UInt64, isWhole: Bool? = nil) {
        self.paths = paths
        self.claim = claim
        self.isWhole = isWhole
    }
}

/// Ends a claim, or calls off a request that still waits.
package struct FinishRequest: Codable, Hashable, Sendable {
    /// The number of the request.
    package let claim: UInt64
    /// True: no answer is wanted, whatever comes of it. Nil counts as false.
    package let isQuiet: Bool?

    package init(claim: UInt64, isQuiet: Bool? = nil) {
        self.claim = claim
        self.isQuiet = isQuiet
    }
}

/// Asks who holds what, and who waits.
package struct ClaimsRequest: Codable, Hashable, Sendable {
    package init() {}
}

package struct ClaimsResponse: Codable, Hashable, Sendable {
    package let items: [ClaimedItem]
    /// Bytes that are on their way, which readers may wait for; at most 100. Nil counts as none.
    package let transfers: [TransferStatus]?

    package init(items: [ClaimedItem], transfers: [TransferStatus]? = nil) {
        self.items = items
        self.transfers = transfers
    }
}

package struct ClaimedItem: Codable, Hashable, Sendable {
    package let path: MountPath
    /// In the order of their coming.
    package let claims: [ClaimStatus]
    /// Who shows it.
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
    /// Questions that it has not answered.
    package let unanswered: Int
    /// It left one unanswered for so long that nobody waits for it.
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
    /// Since it was asked for, or granted if it is.
    package let seconds: Double
    /// Claims that have to end first.
    package let waitsFor: [UInt64]
    /// Presenters that have to make way first. Nil counts as none.
    package let waitsForPresenters: [UInt64]?
    /// The program is stopped, by SIGSTOP or a debugger.
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
