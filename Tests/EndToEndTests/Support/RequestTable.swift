import Foundation
import TestSupport

/// The table of requests and transactions in docs/PERFORMANCE.md.
enum RequestTable {
    /// One line: a workload's cost.
    struct Row: CustomStringConvertible {
        let workload: String
        /// The number of requests and their kinds, as text.
        let requests: String
        let kinds: String
        /// Commits, reads and syncs.
        let costs: [Int]

        init(_ workload: RequestWorkload, _ tally: RequestTally) {
            self.workload = workload.name
            requests = "\(tally.total)"
            let sorted = tally.requests.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            kinds = sorted.isEmpty ? "-" : sorted.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            costs = ["commits", "reads", "syncs"].map { tally.costs[$0, default: 0] }
        }

        /// - Parameter line: A row in the format of ``description``; nil for any other line.
        init?(_ line: Substring) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6 else { return nil }
            costs = cells[3...].compactMap { Int($0) }
            guard costs.count == 3 else { return nil }
            (workload, requests, kinds) = (cells[0], cells[1], cells[2])
        }

        var description: String {
            "| \(workload) | \(requests) | \(kinds) | \(costs.map(String.init).joined(separator: " | ")) |"
        }

        /// Returns whether the requests are those of `other`, and nothing costs more. It may cost less: a file removed
        /// before its close is handled needs no record of its end, and the order of these two is the kernel's.
        ///
        /// - Parameter tolerance: The permitted deviation in requests of each kind, and the permitted excess of
        ///   transactions.
        func isWithin(_ other: Row, tolerance: Int = 0) -> Bool {
            let (mine, theirs) = (counts, other.counts)
            return Set(mine.keys).union(theirs.keys).allSatisfy {
                abs(mine[$0, default: 0] - theirs[$0, default: 0]) <= tolerance
            } && zip(costs, other.costs).allSatisfy { $0 <= $1 + tolerance }
        }

        /// The requests by their kinds, from ``kinds``.
        private var counts: [Substring: Int] {
            let pairs = kinds.split(separator: ",").map { $0.split(separator: " ") }
            return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[1], Int($0[0]) ?? 0) }) { $0 + $1 }
        }
    }

    /// The rows of the document by the names of their workloads.
    static let document: [String: Row] = {
        var file = URL(filePath: #filePath)
        for _ in 0..<4 { file.deleteLastPathComponent() }
        // If the document or the section is absent, every workload is missing, and the tests fail.
        let text = (try? String(contentsOf: file.appending(path: "docs/PERFORMANCE.md"), encoding: .utf8)) ?? ""
        guard let start = text.firstRange(of: "\n## Requests and transactions\n")?.upperBound else { return [:] }
        let section = text[start...].prefix(upTo: text[start...].firstRange(of: "\n## ")?.lowerBound ?? text.endIndex)
        let rows = section.split(separator: "\n").compactMap(Row.init)
        return Dictionary(rows.map { ($0.workload, $0) }) { first, _ in first }
    }()
}
