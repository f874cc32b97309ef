import Foundation
import GRDB
import TestSupport
import Testing

@testable import UbiquityData

/// Random histories of devices that create, write, move, remove and rebuild documents, with and without the cloud, and
/// die at each step.
@Suite("Histories of database documents")
struct ManagerHistoryTests {
    private struct History {
        var random: SeededGenerator
        let data: DataFolder
        let container = TestContainer()
        let devices: [ManagedDevice]
        /// The committed rows, each with a unique key.
        var written: Set<String> = []
        /// The documents removed by a person, and their rows on that device.
        var removed: Set<String> = []

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            let data = try DataFolder()
            self.data = data
            devices = try (0..<2).map { [container] in
                try ManagedDevice("\($0)", container, in: data, schema: .notes("\($0)"))
            }
            for device in devices {
                try device.manager.refresh()
                try device.manager.answer(.use)
            }
        }

        mutating func step() throws {
            let device = devices[random.number(0..<devices.count)]
            if random.chance(25) {
                let steps = random.number(0..<6)
                var copy = self
                _ = try device.dying(after: steps) { try copy.act(device) }
                self = copy
            } else {
                try act(device)
            }
        }

        private mutating func act(_ device: ManagedDevice) throws {
            do {
                try change(device)
            } catch is UbiquitousDatabaseManagerError {
                // It is moving, is not complete, or the like.
            }
        }

        private mutating func change(_ device: ManagedDevice) throws {
            let info = random.pick(try device.manager.databases())
            switch random.number(0..<12) {
            case 0: try device.manager.create("Title \(random.number(0..<3))", isShared: random.chance(60))
            case 1..<5: try write(device, info)
            case 5: if let info { try device.manager.moveToCloud(info) }
            case 6: if let info { try device.manager.moveFromCloud(info) }
            case 7: if let info, random.chance(30) { try remove(device, info) }
            case 8: if let info, random.chance(50) { try device.manager.reset(info) }
            case 9: device.signIn(random.chance(60))
            default: break
            }
            try device.mount.send()
            try device.mount.receive(random.number(0..<30))
            try device.manager.refresh()
            device.manager.buildQueue.sync {}
        }

        private mutating func write(_ device: ManagedDevice, _ info: UbiquitousDatabaseInfo?) throws {
            guard let info else { return }
            let document = try device.manager.open(info)
            document.drain()
            for _ in 0..<random.number(1..<3) {
                let key = "row \(written.count)"
                try document.write {
                    try $0.execute(sql: "INSERT INTO note(id, text) VALUES (?, 'x')", arguments: [key])
                }
                written.insert(key)
            }
            try document.close()
        }

        /// A person removes the document's visible rows; the rest must remain.
        private mutating func remove(_ device: ManagedDevice, _ info: UbiquitousDatabaseInfo) throws {
            let rows = (try? keys(device, info)) ?? []
            removed.formUnion(rows)
            try device.manager.remove(info)
        }

        func keys(_ device: ManagedDevice, _ info: UbiquitousDatabaseInfo) throws -> [String] {
            let document = try device.manager.open(info)
            document.drain()
            let keys = try document.reader.read { try String.fetchAll($0, sql: "SELECT id FROM note") }
            try document.close()
            return keys
        }

        /// All devices have everything, and nothing waits.
        func settle() throws {
            for device in devices { device.signIn(true) }
            for _ in 0..<30 {
                for device in devices {
                    device.time.advance(by: .seconds(100))
                    try device.follow()
                    try device.mount.meet()
                }
            }
        }
    }

    @Test(
        "after random histories with deaths at each step, each row is in a document or kept, and nothing is left over")
    func histories() throws {
        let count = ProcessInfo.processInfo.environment["MANAGER_HISTORIES"].flatMap { UInt64($0) } ?? 12
        for seed in 0..<count {
            var history = try History(seed: seed)
            for _ in 0..<40 { try history.step() }
            try history.settle()
            var found: Set<String> = []
            var shared: [Set<String>] = []
            for device in history.devices {
                let list = try device.manager.databases()
                for info in list {
                    #expect(info.state == .local || info.state == .current, "seed \(seed): \(info)")
                    found.formUnion(try history.keys(device, info))
                }
                shared.append(Set(list.filter(\.isShared).map { "\($0.title) \($0.identifier ?? "")" }))
                for kept in try device.manager.keptDatabases() {
                    let info = try device.manager.recover(kept)
                    found.formUnion(try history.keys(device, info))
                }
                let left = try device.folders().filter { !$0.hasPrefix("Documents/") && !$0.hasPrefix("Kept/") }
                #expect(left == [], "seed \(seed)")
            }
            #expect(shared[0] == shared[1], "seed \(seed)")
            let missing = history.written.subtracting(found).subtracting(history.removed)
            #expect(missing == [], "seed \(seed)")
        }
    }
}
