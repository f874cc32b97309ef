import Faults
import Foundation
import TestSupport
import Testing

/// Two devices: the first gets all faults, and the second shows what reached the cloud.
final class FaultBench {
    let test: TestDevices
    var victim: TestDevice { test.devices[0] }
    var observer: TestDevice { test.devices[1] }
    private(set) var supervisor: CallSupervisor?
    var ledger = OperationLedger()
    private var records = 0
    private let standIns: String
    /// The path prefixes of calls for documents: the victim's state, and the cloud.
    private let places: [String]

    private let watched: Set<SystemCall>

    init(_ test: TestDevices, watching: Set<SystemCall>) throws {
        self.test = test
        watched = watching
        standIns = try test.plain("stand-in")
        places = ["\(test.devices[0].state)/", "\(test.cloud.directory)/"]
        let binaries = test.devices[0].binaries
        try FileManager.default.copyItem(atPath: "\(binaries)/ubiquity", toPath: "\(standIns)/ubiquity")
        try FileManager.default.copyItem(atPath: "\(binaries)/fault-tool", toPath: "\(standIns)/ubiquityd")
    }

    /// - Parameter reads: Whether to watch reads of bytes, too.
    static func with(reads: Bool = false, _ body: (FaultBench) async throws -> Void) async throws {
        let calls = Set(SystemCall.allCases).subtracting(reads ? [] : SystemCall.reads)
        try await TestDevices.with(devices: ["A", "B"]) { test in
            let bench = try FaultBench(test, watching: calls)
            try await bench.victim.stop()
            try await bench.start()
            try await body(bench)
        }
    }

    // MARK: The victim

    /// Starts the victim under supervision, with an optional plan for its first calls.
    func start(_ plan: FaultPlan? = nil) async throws {
        let meeting = "\(test.root)/meeting-\(UUID().uuidString)"
        let names = watched.map(\.rawValue).joined(separator: ",")
        let standIn = DaemonStandIn(
            folder: standIns,
            environment: [
                Launch.programVariable: "\(victim.binaries)/ubiquityd", Launch.meetingVariable: meeting,
                Launch.callsVariable: names,
            ])
        supervisor = nil
        let victim = victim
        async let starting: Void = victim.start(standIn: standIn)
        do {
            try await meet(meeting, plan)
        } catch {
            // The command's own error explains more than the missing process.
            try await starting
            throw error
        }
        try await starting
    }

    private func meet(_ meeting: String, _ plan: FaultPlan?) async throws {
        var supervisor: CallSupervisor?
        let deadline = ContinuousClock.now + .seconds(30)
        while supervisor == nil, ContinuousClock.now < deadline {
            supervisor = CallSupervisor(meeting: meeting)
            if supervisor == nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        guard let supervisor else { throw EndToEndError("no process came to be supervised") }
        victim.daemon.set(supervisor.process)
        if let plan { supervisor.begin(plan) }
        self.supervisor = supervisor
    }

    /// The daemon's calls on documents and on the kernel's requests, without those on its log, its clients and its own wake-ups.
    var mutations: @Sendable (ObservedCall) -> Bool {
        { [places] call in
            guard !SystemCall.reads.contains(call.call), !call.target.hasSuffix("/daemon.log") else { return false }
            return call.target == "/dev/fuse" || places.contains { call.target.hasPrefix($0) }
        }
    }

    /// The calls a disk can refuse.
    var diskCalls: @Sendable (ObservedCall) -> Bool {
        { [places] call in
            guard !call.target.hasSuffix("/daemon.log"), !call.target.hasSuffix(".sock") else { return false }
            return places.contains { call.target.hasPrefix($0) }
        }
    }

    // MARK: Programs that use the victim

    func tool(_ arguments: String..., limit: Duration = .seconds(60)) async throws -> ProgramOutcome {
        try await victim.runner.run("\(victim.binaries)/fault-tool", arguments, in: "/", limit: limit)
    }

    func newRecord() -> String {
        records += 1
        return "\(test.root)/record-\(records)"
    }

    /// Performs operations, by default on the victim, and records acknowledgements in the ledger.
    ///
    /// - Returns: The program's outcome; it fails unless all operations were done.
    @discardableResult
    func perform(_ actions: [FaultOperation], on device: TestDevice? = nil) async throws -> ProgramOutcome {
        let record = newRecord()
        let outcome = try await victim.runner.run(
            "\(victim.binaries)/fault-tool",
            ["perform", record, (device ?? victim).documents] + actions.map(\.description), in: "/", limit: .seconds(60)
        )
        try enter(record)
        return outcome
    }

    func enter(_ record: String) throws {
        ledger.add(record: try String(contentsOfFile: record, encoding: .utf8))
    }

    // MARK: Checks

    /// Returns the contents of all files of a device. Throws if a file can not be read.
    func look(_ device: TestDevice) async throws -> [String: Document.Finding] {
        let lines = try await tool("look", device.documents, limit: .seconds(180)).lines()
        var found: [String: Document.Finding] = [:]
        for line in lines {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 2, let finding = Document.Finding(words: parts[1]) else {
                throw EndToEndError("on \(device.name): \(line)")
            }
            found[parts[0]] = finding
        }
        return found
    }

    /// Checks that nothing acknowledged on the victim is lost, torn or another document's.
    func expectKept(_ when: String) async throws {
        let violations = ledger.settle(try await look(victim))
        guard violations.isEmpty else {
            throw EndToEndError("\(when): \(violations.prefix(10).joined(separator: "\n"))")
        }
    }

    /// Checks the same once the observer's saves have arrived: downloads refused by the disk are retried after seconds.
    func expectArrived(_ when: String) async throws {
        var violations: [String] = []
        try await eventually("\(when): the newest is here") {
            var copy = ledger
            violations = copy.settle(try await look(victim))
            return violations.isEmpty
        } describe: {
            "\(violations.prefix(10))"
        }
    }

    /// Checks the same from the cloud: on the victim after all local bytes were evicted, and on the observer.
    func expectKeptEverywhere(_ when: String) async throws {
        try await victim.sync()
        try await expectKept("\(when), synced")
        // The temporary file of an unfinished save has an excluded name, so it can not be evicted.
        try await victim.shell("find . -name '*.tmp' -delete")
        try await victim.ubiquity(["evict", victim.documents]).text()
        try await expectKept("\(when), evicted")
        var violations: [String] = []
        try await eventually("the observer has all: \(when)") {
            var copy = ledger
            violations = copy.settle(try await look(observer))
            return violations.isEmpty
        } describe: {
            "\(violations.prefix(10))"
        }
        let check = try await victim.ubiquity(["check", victim.mount])
        guard check.succeeded else { throw EndToEndError("\(when): \(check)") }
    }

    /// Restarts the victim after its death or exit.
    func recover() async throws {
        supervisor?.end()
        try await victim.kill9()
        try await start()
    }
}

extension TestDevice {
    /// How often this device's daemons have logged that the database lost a sync. They end after that.
    func timesGivenUp() throws -> Int {
        let log = try String(contentsOfFile: "\(state)/daemon.log", encoding: .utf8)
        return log.matches(of: /Nothing is durable until a restart/).count
    }
}
