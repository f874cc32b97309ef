/// Limits of transfers: rates, and a metered network.
extension SyncEngine {
    /// Applies this device's limits to new, waiting and running transfers.
    package func apply(_ limits: TransferRates) {
        limits.apply(to: context.transfers)
        changeNetwork { $0.choice = limits.onMetered ?? .wait }
    }

    /// Notes a client's report of whether the network is metered. The report holds until the client's connection ends.
    package func reportMetered(_ isMetered: Bool, by connection: UInt64) {
        changeNetwork { $0.report(isMetered, by: connection) }
    }

    private func changeNetwork(_ change: (inout MeteredRule) -> Void) {
        guard context.metered.change(change) else { return }
        for bell in uploadBells.values { bell.ring() }
        downloadBell.ring()
    }
}
