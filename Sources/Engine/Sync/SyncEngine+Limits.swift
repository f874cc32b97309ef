/// What limits transfers: rates, and a network that is metered.
extension SyncEngine {
    /// Applies the limits of this device to transfers that begin from now on, to those that wait, and to those under way.
    package func apply(_ limits: TransferRates) {
        limits.apply(to: context.transfers)
        changeNetwork { $0.choice = limits.onMetered ?? .wait }
    }

    /// Notes whether a client reports that the network is metered. The report holds until the client's connection ends.
    package func reportMetered(_ isMetered: Bool, by connection: UInt64) {
        changeNetwork { $0.report(isMetered, by: connection) }
    }

    private func changeNetwork(_ change: (inout MeteredRule) -> Void) {
        guard context.metered.change(change) else { return }
        for bell in uploadBells.values { bell.ring() }
        downloadBell.ring()
    }
}
