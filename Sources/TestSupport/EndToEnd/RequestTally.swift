/// The number of requests of each kind caused by a script, and their cost.
package struct RequestTally: Sendable, Equatable {
    /// By the names of the operations in the kernel's protocol.
    package let requests: [String: Int]
    /// Transactions and flushes of the disk, by the names of ``RequestCosts/Kind``.
    package let costs: [String: Int]

    package init(requests: [String: Int], costs: [String: Int]) {
        self.requests = requests
        self.costs = costs
    }

    package var total: Int { requests.values.reduce(0, +) }
}
