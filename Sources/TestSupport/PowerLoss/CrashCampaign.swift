import Basics
import CloudModel
import Foundation
import Glibc

/// Checks a recording's crash states.
package struct CrashCampaign {
    package struct Failure: Sendable {
        package let number: Int
        package let state: String
        package let problems: [String]
    }

    package struct Outcome: Sendable {
        package var states = 0
        package var failures: [Failure] = []
        /// The number of states with the potential to lose something acknowledged.
        package var meaningful = 0
    }

    package let recording: Recording

    package init(_ recording: Recording) { self.recording = recording }

    /// Returns a readable summary of the recording.
    package func summary() throws -> String {
        let (log, entries) = (try recording.log(), try recording.entries())
        let flushes = log.records.filter { if case .flush = $0 { true } else { false } }.count
        let acknowledged = entries.filter { if case .done = $0.event { true } else { false } }.count
        return "\(acknowledged) acknowledged steps, \(log.records.count - flushes) writes, \(flushes) flushes"
    }

    /// Checks the states with these numbers, and stops after `failures` failures. Calls `watch` with the number of checked states.
    package func run(_ numbers: Range<Int>, failures: Int, watch: (Int) -> Void = { _ in }) async throws -> Outcome {
        let (log, entries) = (try recording.log(), try recording.entries())
        let states = numbers.map { CrashState(number: $0, seed: recording.seed, log: log) }
            .sorted { ($0.settled, $0.number) < ($1.settled, $1.number) }
        var image = DiskImage(base: try recording.base(), log: log)
        let known = Self.contents(of: entries)
        let crashed = try CrashedDisk(recording.paths)
        defer { crashed.end() }
        var outcome = Outcome()
        for state in states where outcome.failures.count < failures {
            image.advance(to: state.settled)
            let position = log.position(after: state.count)
            if entries.contains(where: { $0.position <= position && $0.event.isAcknowledgement }) {
                outcome.meaningful += 1
            }
            let problems = try await crashed.with(state, of: image) { directory in
                await Self.problems(
                    StateCheck(directory: directory, entries: entries, known: known, position: position))
            }
            outcome.states += 1
            if !problems.isEmpty {
                outcome.failures.append(Failure(number: state.number, state: "\(state)", problems: problems))
            }
            watch(outcome.states)
        }
        return outcome
    }

    private static func problems(_ check: StateCheck) async -> [String] {
        do { return try await check.problems() } catch { return ["it cannot be opened: \(error)"] }
    }

    /// Returns the numbers of all written contents, by their references in the cloud.
    private static func contents(of entries: [WorkRecord.Entry]) -> [ContentReference: Int] {
        var known: [ContentReference: Int] = [:]
        for entry in entries {
            switch entry.event {
            case .begins(.write(_, let number)), .begins(.save(_, let number)), .elsewhere(let number):
                known[WrittenContent.reference(to: WrittenContent.bytes(number))] = number
            default: break
            }
        }
        return known
    }
}

extension WorkEvent {
    fileprivate var isAcknowledgement: Bool { if case .done = self { true } else { false } }
}

/// A loop device whose file takes on a series of crash states.
private struct CrashedDisk {
    private let file: Int32
    private let loop: LoopDevice
    private let point: String

    init(_ paths: RecordingPaths) throws {
        let path = "\(paths.folder)/crash-image"
        point = paths.crashed
        try FileManager.default.createDirectory(atPath: point, withIntermediateDirectories: true)
        let file = Int32(try check("open \(path)") { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) })
        let size = off_t(try FileManager.default.attributesOfItem(atPath: paths.base)[.size] as? Int ?? 0)
        try check("ftruncate") { ftruncate(file, size) }
        self.file = file
        loop = try LoopDevice.attach(path, isDirect: false)
    }

    /// Runs `body` on the state directory as it is after the crash, after the file system's own recovery.
    func with(_ state: CrashState, of image: DiskImage, _ body: (String) async -> [String]) async throws -> [String] {
        try image.write(state, to: file)
        try loop.forgetCache()
        do { try loop.mount(at: point) } catch { return ["ext4 cannot be mounted: \(error)"] }
        let problems = await body("\(point)/state")
        try LoopDevice.abandon(point)
        return problems
    }

    func end() {
        umount2(point, Int32(MNT_DETACH))
        try? loop.detach()  // It is detached with its last user at the latest.
        close(file)
    }
}
