/// Decides which transfers wait while the network is metered: those no person waits for. Pure.
///
/// A client of the daemon reports that the network is metered, and the report holds as long as its connection does. So
/// the end of that client, also by a crash, never leaves a device without sync. Changes of names and attributes are not
/// transfers.
package struct MeteredRule: Sendable {
    /// The behavior on a metered network.
    package enum Choice: String, Codable, Sendable, CaseIterable {
        case wait
        case `continue`
    }

    enum Transfer: Sendable {
        /// - Parameter isUrgent: Whether a client waits for everything to be in the cloud.
        case upload(isUrgent: Bool)
        case download(DownloadCause)
        /// The rest of a document, ahead of a program's reads.
        case rest
    }

    var choice = Choice.wait
    /// The connections of clients reporting a metered network.
    private var reporters: Set<UInt64> = []

    init() {}

    var isMetered: Bool { !reporters.isEmpty }
    var isWaiting: Bool { isMetered && choice == .wait }

    /// Notes a client's report. It replaces the client's earlier report.
    mutating func report(_ isMetered: Bool, by connection: UInt64) {
        if isMetered { reporters.insert(connection) } else { reporters.remove(connection) }
    }

    /// Returns whether a transfer may begin or continue.
    func admits(_ transfer: Transfer) -> Bool {
        guard isWaiting else { return true }
        switch transfer {
        case .upload(let isUrgent): return isUrgent
        case .rest: return false
        // A package is a single document: a program that has opened a part of it needs the rest.
        case .download(.requested), .download(.program), .download(.unknown), .download(.package): return true
        case .download(.kept), .download(.update), .download(.whenSpace): return false
        }
    }
}
