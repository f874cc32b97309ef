import Basics
import ControlServer
import DaemonProtocol
import Sync
import Transfers

/// The limits of transfers, and reports of a metered network.
struct LimitsHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(limits)
        router.on { (request: ReportMeteredRequest, client) in
            device.engine.reportMetered(request.isMetered, by: client.connection)
            return DoneResponse()
        }
    }

    func limits(_ request: LimitsRequest) async throws -> LimitsResponse {
        if let cache = request.cache {
            try await blocking { [self] in
                let size = cache == 0 ? nil : cache
                try CacheLimits.store(size: size, in: device.metadata)
                device.engine.room.cacheSize = size
            }
        }
        guard request.up != nil || request.down != nil || request.onMetered != nil else { return present }
        for rate in [request.up, request.down] { try check(rate) }
        try await blocking { [self] in
            let (transfers, metered) = (device.engine.context.transfers, device.engine.context.metered)
            var rates = TransferRates(up: transfers.up.rate, down: transfers.down.rate, onMetered: metered.choice)
            if let up = request.up { rates.up = up == 0 ? nil : up }
            if let down = request.down { rates.down = down == 0 ? nil : down }
            if let choice = request.onMetered { rates.onMetered = MeteredRule.Choice(choice) }
            try rates.store(in: device.metadata)
            device.engine.apply(rates)
        }
        return present
    }

    private var present: LimitsResponse {
        let (transfers, metered) = (device.engine.context.transfers, device.engine.context.metered)
        return LimitsResponse(
            up: transfers.up.rate, down: transfers.down.rate, onMetered: OnMetered(metered.choice),
            cache: device.engine.room.cacheSize)
    }

    private func check(_ rate: UInt64?) throws {
        guard let rate, rate > 0, !TransferRates.valid.contains(rate) else { return }
        let (lowest, highest) = (TransferRates.valid.lowerBound, TransferRates.valid.upperBound)
        throw DaemonFailure(
            .invalidRequest, "a limit is \(lowest) to \(highest) bytes a second, or 0 for none",
            advice: "`ubiquity offline` stops all transfers.")
    }
}

extension OnMetered {
    init(_ choice: MeteredRule.Choice) {
        self =
            switch choice {
            case .wait: .wait
            case .continue: .continue
            }
    }
}

extension MeteredRule.Choice {
    fileprivate init(_ choice: OnMetered) {
        self =
            switch choice {
            case .wait: .wait
            case .continue: .continue
            }
    }
}
