import Basics

/// Decides which transfer may run next: a bounded number at once, earlier priorities first, in order within one.
///
/// Some slots are kept for demands, so a read finds one however much goes on in the background.
struct SlotQueue: Sendable {
    private let limit: Int
    private let backgroundLimit: Int
    private var lanes: [FIFO<TransferTicket>]
    /// What waits, by its present priority: a lane's entry whose ticket is not here with that priority is stale.
    private var waiting: [TransferTicket: TransferPriority] = [:]
    private var running: [TransferTicket: TransferPriority] = [:]
    private var nextNumber: UInt64 = 0

    /// - Precondition: `0 <= reserved < limit`.
    init(limit: Int, reservedForDemand reserved: Int) {
        precondition(reserved >= 0 && reserved < limit, "no slot would be left for background transfers")
        self.limit = limit
        backgroundLimit = limit - reserved
        lanes = TransferPriority.allCases.map { _ in FIFO() }
    }

    var waitingCount: Int { waiting.count }
    var runningCount: Int { running.count }

    mutating func makeTicket() -> TransferTicket {
        nextNumber += 1
        return TransferTicket(number: nextNumber)
    }

    mutating func enqueue(_ ticket: TransferTicket, _ priority: TransferPriority) {
        waiting[ticket] = priority
        lanes[Int(priority.rawValue)].append(ticket)
    }

    /// The next request that may run now; call again until nil.
    mutating func grant() -> TransferTicket? {
        for priority in TransferPriority.allCases where mayRun(priority) {
            while let ticket = lanes[Int(priority.rawValue)].popFirst() {
                guard waiting[ticket] == priority else { continue }
                waiting[ticket] = nil
                running[ticket] = priority
                return ticket
            }
        }
        return nil
    }

    mutating func finish(_ ticket: TransferTicket) { running[ticket] = nil }

    /// True if the request still waited and is gone; false if it runs or has run.
    mutating func withdraw(_ ticket: TransferTicket) -> Bool {
        guard let priority = waiting.removeValue(forKey: ticket) else { return false }
        compact(priority)
        return true
    }

    /// Moves a waiting request ahead; what runs stays as it is.
    mutating func promote(_ ticket: TransferTicket, to priority: TransferPriority) {
        guard let present = waiting[ticket], priority < present else { return }
        enqueue(ticket, priority)
        compact(present)
    }

    private func mayRun(_ priority: TransferPriority) -> Bool {
        guard running.count < limit else { return false }
        return priority == .demand || running.count { $0.value != .demand } < backgroundLimit
    }

    /// Stale entries may never outnumber the live ones by much, or memory would grow with what was withdrawn.
    private mutating func compact(_ priority: TransferPriority) {
        let lane = Int(priority.rawValue)
        guard lanes[lane].count > 2 * waiting.count + 64 else { return }
        let waiting = waiting
        lanes[lane].removeAll { waiting[$0] != priority }
    }
}
