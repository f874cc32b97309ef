import TestSupport
import Testing

extension EndToEnd {
    /// The example program with a shared database, on two devices.
    @Suite("Ledger")
    struct LedgerTests {
        @Test("two devices keep one ledger, and a person sees what did not remain, restores it and decides")
        func twoDevices() async throws {
            try await TestDevices.withTwo { _, a, b in
                let identifier = try await a.ledger("new")
                try await a.ledger("open", "cash")
                try await a.ledger("book", "cash", "1000", "salary")
                try await a.publishLedger()
                try await b.ledger("join", identifier)
                try await Self.meet(a, b, ["cash 1000", "  cash 1000 salary"])

                // Neither knows of the other's changes; the log has A's part first.
                for (device, cents, name) in [(a, "-300", "purse"), (b, "-200", "wallet")] {
                    try await device.ledger("open", "bank")
                    try await device.ledger("book", "cash", cents, "food")
                    try await device.ledger("note", "cash", "note of \(device.name)")
                    try await device.ledger("rename", "cash", name)
                }
                try await a.publishLedger()
                try await b.publishLedger()
                try await Self.meet(
                    a, b,
                    [
                        "bank 0", "wallet 500 (note of \(b.name))", "  wallet -300 food", "  wallet -200 food",
                        "  wallet 1000 salary",
                    ])
                let review = [
                    "lost 1: account name purse of \(a.name), replaced by \(b.name); now wallet",
                    "aside: account bank of \(b.name), because another row has its name",
                    "choose 1: note: 1 note of \(b.name) of \(b.name), 2 note of \(a.name) of \(a.name)",
                ]
                for device in [a, b] { #expect(try await device.ledgerLines("review") == review) }

                try await a.ledger("restore", "1")
                try await a.ledger("choose", "1", "2")
                try await a.ledger("rename", "bank", "savings")
                try await a.publishLedger()
                try await Self.meet(
                    a, b,
                    [
                        "bank 0", "purse 500 (note of \(a.name))", "savings 0", "  purse -300 food",
                        "  purse -200 food", "  purse 1000 salary",
                    ])
                for device in [a, b] { #expect(try await device.ledgerLines("review") == []) }
            }
        }

        @Test("the example says what is wrong with a command, and changes nothing")
        func errors() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                for (arguments, message) in [
                    (["list"], "There is no "), (["join", "x"], "“x” is no identifier"),
                ] {
                    let outcome = try await test.a.tryLedger(arguments)
                    #expect(outcome.status == 1 && outcome.errors.contains(message))
                }
            }
        }

        /// Waits until both devices print the expected list.
        private static func meet(_ one: TestDevice, _ two: TestDevice, _ expected: [String]) async throws {
            for device in [one, two] {
                try await eventually("\(device.name) lists \(expected)") {
                    try await device.syncLedger()
                    return try await device.ledgerLines("list") == expected
                } describe: {
                    "\(try await device.ledgerLines("list"))"
                }
            }
        }
    }
}

extension TestDevice {
    fileprivate func tryLedger(_ arguments: [String]) async throws -> ProgramOutcome {
        try await runner.adding(["LEDGER_DEVICE": name])
            .run("\(binaries)/Ledger", ["\(state)-ledger.sqlite"] + arguments, in: "/")
    }

    @discardableResult
    fileprivate func ledger(_ arguments: String...) async throws -> String { try await tryLedger(arguments).text() }

    fileprivate func ledgerLines(_ command: String) async throws -> [String] {
        try await tryLedger([command]).lines()
    }

    fileprivate func syncLedger() async throws { try await ledger("sync", "\(mount)/CloudDocs/Ledger") }

    /// Returns once the log has the device's changes.
    fileprivate func publishLedger() async throws {
        try await syncLedger()
        try await sync()
    }
}
