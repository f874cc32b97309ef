import Basics
import ControlServer
import DaemonProtocol
import Sync
import Transfers

/// The limits of transfers.
struct LimitsHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) { router.on(limits) }

    func limits(_ request: LimitsRequest) async throws -> LimitsResponse {
        let transfers = device.engine.context.transfers
        guard request.up != nil || request.down != nil else { return LimitsResponse(transfers) }
        for rate in [request.up, request.down] { try check(rate) }
        try await blocking { [self] in
            var rates = TransferRates(up: transfers.up.rate, down: transfers.down.rate)
            if let up = request.up { rates.up = up == 0 ? nil : up }
            if let down = request.down { rates.down = down == 0 ? nil : down }
            try rates.store(in: device.metadata)
            rates.apply(to: transfers)
        }
        return LimitsResponse(transfers)
    }

    private func check(_ rate: UInt64?) throws {
        guard let rate, rate > 0, !TransferRates.valid.contains(rate) else { return }
        let (lowest, highest) = (TransferRates.valid.lowerBound, TransferRates.valid.upperBound)
        throw DaemonFailure(
            .invalidRequest, "a limit is \(lowest) to \(highest) bytes a second, or 0 for none",
            advice: "`ubiquity offline` stops all transfers.")
    }
}

extension LimitsResponse {
    fileprivate init(_ transfers: TransferContext) { self.init(up: transfers.up.rate, down: transfers.down.rate) }
}
