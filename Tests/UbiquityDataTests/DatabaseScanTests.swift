import CloudModel
import TestSupport
import Testing

@testable import UbiquityData

@Suite("What follows from what a device and a container have")
struct DatabaseScanTests {
    private static let name = PackageName(
        title: "Ledger", identifier: ItemID(high: 1 << 63, low: 1).description)
    private static let version = VersionID(sequence: LogSequence(7), index: 0)

    /// Every combination of the facts about a database.
    private static func scans(_ name: PackageName) -> [DatabaseScan] {
        let id = name.identifier ?? ""
        var scans: [DatabaseScan] = []
        for facts in 0..<(3 * 2 * 2 * 2 * 2 * 2 * 3 * 3) {
            var rest = facts
            func pick(_ count: Int) -> Int {
                defer { rest /= count }
                return rest % count
            }
            var scan = DatabaseScan()
            let document = pick(3)
            if document > 0 { scan.documents[name] = document == 2 }
            if pick(2) == 1 { scan.leaving = [name] }
            if pick(2) == 1 { scan.moving = [name] }
            scan.isFollowing = pick(2) == 1
            if pick(2) == 1 { scan.shared = [name] }
            if pick(2) == 1 { scan.unconfirmed = [name] }
            let (removed, departing) = (pick(3), pick(3))
            if removed > 0 { scan.removed = [id: removed == 2 ? version : nil] }
            if departing > 0 { scan.departing = [id: departing == 2 ? version : nil] }
            scans.append(scan)
        }
        return scans
    }

    @Test("a copy goes only for a removal that the log has, and none appears that was removed or leaves")
    func exhaustive() throws {
        let name = try #require(Self.name)
        let id = name.identifier ?? ""
        for scan in Self.scans(name) {
            let text: Comment = "\(scan)"
            let removal = scan.removed[id] ?? nil
            let isBusy = scan.moving.contains(name)
            for action in scan.actions {
                switch action {
                case .followRemoval(_, let version):
                    #expect(version == removal && scan.documents[name] == true && !isBusy, text)
                case .replace: #expect(removal != nil && scan.documents[name] == false && !isBusy, text)
                case .build:
                    #expect(scan.isFollowing && scan.shared.contains(name) && scan.documents[name] == nil, text)
                    #expect(scan.removed[id] == nil && scan.departing[id] == nil, text)
                    #expect(!isBusy && !scan.leaving.contains(name), text)
                case .removeFolder: #expect(removal != nil && scan.shared.contains(name), text)
                case .announce: #expect(scan.documents[name] == false && scan.removed[id] == nil && !isBusy, text)
                case .exchange: #expect(removal == nil && scan.shared.contains(name) && !isBusy, text)
                case .finishRemoval: #expect(scan.leaving.contains(name), text)
                }
            }
            // Every required action happens.
            if removal != nil, scan.documents[name] != nil, !isBusy {
                let isAnnounced = scan.documents[name] == true
                #expect(
                    scan.actions.contains(isAnnounced ? .followRemoval(name, Self.version) : .replace(name)), text)
            }
            if scan.leaving.contains(name) { #expect(scan.actions.contains(.finishRemoval(name)), text) }
            // An empty container reports nothing.
            if scan.shared.isEmpty, scan.removed.isEmpty, scan.departing.isEmpty {
                #expect(
                    scan.actions.allSatisfy { $0 == .announce(name) || $0 == .finishRemoval(name) }, text)
            }
        }
    }

    @Test("names of folders survive being read back, and hostile ones are no documents")
    func names() throws {
        var random = SeededGenerator(seed: 6)
        let parts = [
            "a", "Ü", "7", "_UUID_", "/", "\u{0}", " ", ".", "~", "é", "\n", "0123456789abcdef", "8000000000000000",
        ]
        for round in 0..<20_000 {
            let text = (0..<random.number(0..<6)).map { _ in random.pick(parts) ?? "" }.joined()
            guard let name = PackageName(text) else { continue }
            #expect(name.description == text, "round \(round)")
            #expect(PackageName(title: name.title, identifier: name.identifier) == name)
            #expect(!text.contains("/") && !text.contains("\u{0}") && !text.hasPrefix("."))
            #expect(text.utf8.count <= 255)
        }
        let id = try #require(Self.name?.identifier)
        #expect(PackageName("Ledger_UUID_\(id)")?.title == "Ledger")
        for text in ["Ledger_UUID_", "_UUID_\(id)", "Ledger_UUID_\(id.uppercased())x", "a_UUID_b_UUID_\(id)", ""] {
            #expect(PackageName(text) == nil, "\(text)")
        }
    }
}
