import CloudModel
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Simulation

/// One device copies a document over another while a second device moves the first document there.
@Suite("Copies that two devices make of one document")
struct CopyTests {
    /// A step of the second device's loops, or a full sync of the first device.
    enum Step: CaseIterable {
        case first, upload, fold, batch, append
    }

    /// The first device's action on the document copied by the second.
    enum Rival: CaseIterable {
        case moves, copies, exchanges, movesAndDeletes
    }

    private func withTwo(_ body: (SimulatedDevice, SimulatedDevice) throws -> Void) throws {
        let (cloud, shared) = (SimulatedCloud(bug: nil), try SharedParts())
        let devices = try (0..<2).map {
            try SimulatedDevice(number: $0, seed: 3, skew: .zero, cloud: cloud, shared: shared)
        }
        try save("report.txt", "text", devices[0])
        try save("report-old.txt", "old text", devices[0])
        try rest(devices)
        for device in devices {
            for item in try UserActions(device: device).items(where: { $0.kind == .file }) {
                try device.materialise(item)
            }
        }
        try body(devices[0], devices[1])
        for device in devices { try device.end() }
    }

    private func save(_ name: String, _ text: String, _ device: SimulatedDevice) throws {
        // The ledger is not read: each test checks the contents of documents itself.
        var ledger = Ledger()
        device.time.advance(by: .milliseconds(20))
        try UserActions(device: device).save(name, in: device.root, text, &ledger)
    }

    private func move(_ name: String, to other: String, _ device: SimulatedDevice, exchange: Bool = false) throws {
        device.time.advance(by: .milliseconds(20))
        try device.files.rename(
            Array(name.utf8), in: device.root, to: Array(other.utf8), in: device.root,
            mode: exchange ? .exchange : .replace)
    }

    private func act(_ rival: Rival, _ device: SimulatedDevice) throws {
        switch rival {
        case .moves: try move("report.txt", to: "report-old.txt", device)
        case .copies: try save("report-old.txt", "text", device)
        case .exchanges: try move("report.txt", to: "report-old.txt", device, exchange: true)
        case .movesAndDeletes:
            try move("report.txt", to: "report-old.txt", device)
            try device.files.removeFile(Array("report-old.txt".utf8), in: device.root)
        }
    }

    private func rest(_ devices: [SimulatedDevice]) throws {
        for _ in 0..<5 {
            for device in devices {
                device.time.advance(by: .seconds(1))
                try device.syncFully()
            }
        }
        for device in devices { #expect(try device.unrest().isEmpty) }
    }

    private func take(_ step: Step, _ first: SimulatedDevice, _ second: SimulatedDevice) throws {
        switch step {
        case .first:
            first.time.advance(by: .seconds(1))
            try first.syncFully()
        case .upload:
            second.time.advance(by: .milliseconds(300))
            try second.upload()
        case .fold: while try second.fold() {}
        case .batch: _ = try second.makeBatch()
        case .append: try second.append()
        }
    }

    private func contents(_ device: SimulatedDevice) throws -> [String: String] {
        var found: [String: String] = [:]
        for item in try UserActions(device: device).items(where: { $0.kind == .file }) {
            found[item.name.description] = try device.text(of: item)
        }
        return found
    }

    /// Returns all orders of the steps by which the two devices learn of each other's changes.
    private func schedules(of count: Int) -> [[Step]] {
        guard count > 0 else { return [[]] }
        return schedules(of: count - 1).flatMap { rest in Step.allCases.map { rest + [$0] } }
    }

    @Test(
        "an edit of a document that was copied over another is on all devices at the end, whatever another device did to both",
        arguments: Rival.allCases)
    func copyThenEdit(_ rival: Rival) throws {
        for schedule in schedules(of: 2) {
            try withTwo { first, second in
                try act(rival, first)
                try save("report-old.txt", "text", second)
                second.time.advance(by: .milliseconds(270))
                for step in schedule.prefix(1) { try take(step, first, second) }
                try save("report.txt", "text, and a new paragraph", second)
                for step in schedule.dropFirst() { try take(step, first, second) }
                try rest([first, second])
                let shown = try [first, second].map(contents)
                #expect(shown[0] == shown[1], "\(schedule)")
                #expect(shown[0].values.contains("text, and a new paragraph"), "\(schedule): \(shown[0])")
            }
        }
    }
}
