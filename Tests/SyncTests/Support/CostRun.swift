import Basics
import CloudModel
import DeviceSupport
import GRDB
import Glibc
import VirtualFileSystem

@testable import LocalMetadata
@testable import Sync

/// Measures the average database cost of operations by programs and by the engine.
final class CostRun {
    struct Cost {
        let operation: String
        let statements: Double
        let steps: Double
        let scans: Int
        /// Pages read because no cache had them.
        let misses: Double
        let writes: Double
    }

    private let large: LargeDevice
    private let writer: StatementMeter
    /// Sequential reads share a connection.
    private let reader: StatementMeter
    private var costs: [Cost] = []
    private static let repeats = 400

    init(documents: Int, isOld: Bool = false) throws {
        large = try LargeDevice(documents: documents, isOld: isOld)
        let metadata = large.device.metadata
        let writer = metadata.connections.writer.inDatabase { StatementMeter($0) }
        let reader = try metadata.read { StatementMeter($0.db) }
        guard let writer, let reader else { throw Errno(EBADF) }
        (self.writer, self.reader) = (writer, reader)
    }

    /// The texts of all executed statements.
    var texts: Set<String> { writer.texts.union(reader.texts) }

    /// Returns the lines of EXPLAIN QUERY PLAN (sqlite.org/eqp.html).
    func plan(of statement: String) throws -> [String] {
        try large.device.metadata.connections.writer.inDatabase { db in
            let explanation = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(statement)")
            // The plan of a query does not depend on its arguments.
            explanation.setUncheckedArguments(StatementArguments())
            return try Row.fetchAll(explanation).map { $0["detail"] }
        }
    }

    /// Runs the operations in sequence and returns the cost of each.
    func measure() throws -> [Cost] {
        costs = []
        try programs()
        try engine()
        return costs
    }

    private func programs() throws {
        let (device, folders) = (large.device, large.folders)
        let stride = large.count / (2 * Self.repeats)
        try each("look up") {
            let (name, folder) = large.place($0 * stride)
            _ = try device.row(name, in: folder)
        }
        try each("create, close") { try device.save("new \($0)", "", in: folders[$0 % folders.count]) }
        try each("create, write, close") { try device.save("saved \($0)", "text", in: folders[$0 % folders.count]) }
        try each("make a folder") { _ = try device.makeFolder("made \($0)") }
        try each("remove a folder") { try device.files.removeFolder(Array("made \($0)".utf8), in: device.documents) }
        try each("rename") {
            let (name, folder) = large.place($0 * stride)
            try device.files.rename(
                Array(name.utf8), in: folder, to: Array("renamed \($0)".utf8), in: folder, mode: .replace)
        }
        try each("remove a document") {
            let (name, folder) = large.place((Self.repeats + $0) * stride)
            try device.remove(name, in: folder)
        }
        device.files.recordCloses()
    }

    private func engine() throws {
        let device = large.device
        try each("look for changes") { _ in
            try device.context.followClock()
            _ = try device.metadata.read { try $0.pending.oldest() }
            _ = try device.metadata.read { try $0.pending.next(after: device.time.now()) }
        }
        try all("record an upload") { try device.finishUploads() }
        var payload: [UInt8] = []
        try all("make a batch") { payload = try Outbox(device.context).next(in: device.container)?.payload ?? [] }
        try all("fold a batch") { try device.fold(payload: payload) }
    }

    private func each(_ operation: String, _ body: (Int) throws -> Void) throws {
        try all(operation) { for index in 0..<Self.repeats { try body(index) } }
    }

    private func all(_ operation: String, _ body: () throws -> Void) throws {
        writer.reset()
        reader.reset()
        try body()
        let sum = writer.total + reader.total
        func average(_ count: Int) -> Double { Double(count) / Double(Self.repeats) }
        costs.append(
            Cost(
                operation: operation, statements: average(sum.statements), steps: average(sum.steps), scans: sum.scans,
                misses: average(sum.misses), writes: average(sum.writes)))
    }
}
