import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The example program with a manager of database documents, on two devices.
    @Suite("Shelf of ledgers")
    struct LedgerShelfTests {
        @Test("ledgers are shared, taken out of the cloud and removed, on two devices over real mounts")
        func life() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shelf("make", "Home")
                try await a.shelf("in", "Home", "open", "cash")
                try await a.shelf("in", "Home", "book", "cash", "1000", "salary")
                try await a.shelf("share", "Home")
                try await a.sync()
                try await Self.meet([a, b], "list", ["Home: current"])
                try await Self.meet([a, b], "in", "Home", "list", ["cash 1000", "  cash 1000 salary"])

                // Offline and crossing; both open an account of the same name, for which the program has a rule.
                try cloud.goOffline()
                for (device, cents) in [(a, "-300"), (b, "-200")] {
                    try await device.shelf("in", "Home", "open", "bank")
                    try await device.shelf("in", "Home", "book", "cash", cents, "food")
                }
                try cloud.goOnline()
                try await eventually("both have the same ledger") {
                    for device in [a, b] {
                        try await device.shelf("sync")
                        try await device.sync()
                    }
                    let lists = [
                        try await a.shelfLines("in", "Home", "list"), try await b.shelfLines("in", "Home", "list"),
                    ]
                    return lists[0] == lists[1] && lists[0].contains("cash 500")
                        && lists[0].count { $0.hasPrefix("bank") } == 2
                } describe: {
                    "\(try await a.shelfLines("in", "Home", "list")) \(try await b.shelfLines("in", "Home", "list"))"
                }
                let rows = try await a.shelfLines("in", "Home", "list")

                // Out of the cloud, and back.
                try await a.shelf("unshare", "Home")
                try await Self.meet([a], "list", ["Home: local"])
                #expect(try await a.shelfLines("in", "Home", "list") == rows)
                try await Self.meet([b], "list", [])
                #expect(try await b.shelfLines("kept") == [])
                try await a.shelf("share", "Home")
                try await Self.meet([a, b], "list", ["Home: current"])
                #expect(try await b.shelfLines("in", "Home", "list") == rows)

                // Removed on one device while the other writes offline.
                try cloud.goOffline()
                try await b.shelf("in", "Home", "book", "cash", "7", "found")
                try await a.shelf("remove", "Home")
                #expect(try await a.shelfLines("list") == [])
                try cloud.goOnline()
                try await Self.meet([a, b], "list", [])
                #expect(try await b.shelfLines("kept") == ["1: Home"])
                try await b.shelf("recover", "1")
                #expect(try await b.shelfLines("in", "Home", "list").contains("cash 507"))
                #expect(try await a.shelfLines("list") == [])
            }
        }

        @Test("several processes write one ledger at the same time, and nothing is lost on either device")
        func processes() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shelf("make", "Home")
                try await a.shelf("share", "Home")
                try await a.shelf("in", "Home", "open", "cash")
                try await Self.meet([a, b], "in", "Home", "list", ["cash 0"])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...8 {
                        let device = number % 2 == 0 ? a : b
                        group.addTask { try await device.shelf("in", "Home", "book", "cash", "\(number)", "food") }
                    }
                    try await group.waitForAll()
                }
                // A process that ended during another's transfer may have left its part to the next process.
                for device in [a, b] { try await device.shelf("sync") }
                let bookings = (1...8).map { "  cash \($0) food" }
                try await Self.meet([a, b, a, b], "in", "Home", "list", ["cash 36"] + bookings)
            }
        }

        /// Waits until a command prints the expected output on some devices.
        private static func meet(_ devices: [TestDevice], _ command: String, _ expected: [String]) async throws {
            try await meet(devices, [command], expected)
        }

        private static func meet(
            _ devices: [TestDevice], _ command: String, _ title: String, _ part: String, _ expected: [String]
        ) async throws { try await meet(devices, [command, title, part], expected) }

        private static func meet(_ devices: [TestDevice], _ arguments: [String], _ expected: [String]) async throws {
            for device in devices {
                try await eventually("\(device.name) prints \(expected)") {
                    try await device.sync()
                    try await device.shelf("sync")
                    // An incomplete ledger cannot be opened.
                    let outcome = try await device.tryShelf(arguments)
                    return outcome.status == 0 && (try? outcome.lines()) == expected
                } describe: {
                    let outcome = try await device.tryShelf(arguments)
                    return "\((try? outcome.lines()) ?? []) \(outcome.errors)"
                }
            }
        }
    }
}

extension TestDevice {
    fileprivate func tryShelf(_ arguments: [String]) async throws -> ProgramOutcome {
        try await runner.adding(["LEDGER_DEVICE": name])
            .run("\(binaries)/Ledger", ["shelf", "\(state)-ledgers", "\(mount)/CloudDocs"] + arguments, in: "/")
    }

    fileprivate func shelf(_ arguments: String...) async throws { _ = try await tryShelf(arguments).text() }

    fileprivate func shelfLines(_ arguments: String...) async throws -> [String] {
        try await tryShelf(arguments).lines()
    }
}
