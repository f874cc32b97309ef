import Basics

/// Decides which transfer may run next: bounds the number of running transfers, prefers urgent priorities, and keeps
/// the order within a priority.
///
/// Some slots are reserved for demands, so a read finds a slot regardless of background transfers.
struct SlotQueue: Sendable {
    private let limit: Int
    private let backgroundLimit: Int
    private var lanes: [FIFO<TransferTicket>]
    /// The waiting requests, by their current priority: a lane's entry whose ticket is not in this table with that
    /// priority is stale.
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

    /// Returns the next request allowed to run now; call again until it returns nil.
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

    /// Withdraws a request. Returns true if it still waited; false if it runs or has run.
    mutating func withdraw(_ ticket: TransferTicket) -> Bool {
        guard let priority = waiting.removeValue(forKey: ticket) else { return false }
        compact(priority)
        return true
    }

    /// Raises the priority of a waiting request; running requests stay as they are.
    mutating func promote(_ ticket: TransferTicket, to priority: TransferPriority) {
        guard let present = waiting[ticket], priority < present else { return }
        enqueue(ticket, priority)
        compact(present)
    }

    private func mayRun(_ priority: TransferPriority) -> Bool {
        guard running.count < limit else { return false }
        return priority == .demand || running.count { $0.value != .demand } < backgroundLimit
    }

    /// Stale entries may never outnumber the live entries by much, or memory would grow with withdrawn requests.
    private mutating func compact(_ priority: TransferPriority) {
        let lane = Int(priority.rawValue)
        guard lanes[lane].count > 2 * waiting.count + 64 else { return }
        let waiting = waiting
        lanes[lane].removeAll { waiting[$0] != priority }
    }
}
