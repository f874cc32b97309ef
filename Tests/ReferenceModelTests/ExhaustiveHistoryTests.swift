import DeviceSupport
import Foundation
import Glibc
import TestSupport
import Testing

extension ReferenceModel {
    /// Finds every difference that can show with a few names and three calls.
    @Suite("All short histories", .timeLimit(.minutes(60)))
    struct ExhaustiveHistoryTests {
        private static let length = 3

        /// All calls with distinct meanings: on two names, on a name inside a folder, and on an open file.
        private static let alphabet: [Operation] = {
            let (a, b, inside) = (Path("a"), Path("b"), Path("a/b"))
            let create = OpenFlags(raw: O_RDWR | O_CREAT | O_EXCL)
            return [
                .open(slot: 0, a, flags: create, mode: 0o644), .open(slot: 0, b, flags: create, mode: 0o600),
                .open(slot: 0, a, flags: OpenFlags(raw: O_RDWR), mode: 0),
                .open(slot: 0, a, flags: OpenFlags(raw: O_RDONLY | O_TRUNC), mode: 0),
                .open(slot: 1, inside, flags: OpenFlags(raw: O_WRONLY | O_CREAT | O_APPEND), mode: 0o644),
                .write(slot: 0, count: 5000, seed: 1), .writeMapped(slot: 0, offset: 100, count: 7, seed: 2),
                .truncateOpen(slot: 0, size: 4097), .close(slot: 0), .setAttributeOpen(slot: 0, "user.one", count: 3),
                .truncate(a, size: 100), .changeMode(a, mode: 0o4711), .changeOwner(a, isNone: true),
                .setTimes(a, access: .omit, modification: .at(seconds: 5, nanoseconds: 7), follows: true),
                .makeFolder(a, mode: 0o2755), .makeFolder(inside, mode: 0o700), .makeSymlink(target: b, a),
                .makePipe(b),
                .removeFolder(a), .unlink(a), .unlink(inside), .link(a, b), .rename(a, b, flags: 0),
                .rename(b, a, flags: 0), .rename(b, inside, flags: 0), .rename(a, inside, flags: 0),
                .rename(inside, a, flags: 0), .rename(a, b, flags: 1), .rename(a, b, flags: 2),
                .rename(a, Path("b~"), flags: 0), .rename(Path("b~"), a, flags: 0),
            ]
        }()

        /// Unless all histories are requested, each run plays one in this many, starting at a random history.
        private static let share = 15

        @Test(
            "all histories of three calls end the same in the mount and on the disk; a sample of them, unless all are requested"
        )
        func exhaustive() async throws {
            let count = (0..<Self.length).reduce(1) { count, _ in count * Self.alphabet.count }
            let isAll = ProcessInfo.processInfo.environment["MODEL_EXHAUSTIVE"] != nil
            let step = isAll ? 1 : Self.share
            let start = isAll ? 0 : Int.random(in: 0..<step)
            print("Playing every history of \(count) whose number leaves \(start) when divided by \(step).")
            try await TestDevices.with(devices: ["A"]) { test in
                let playground = try Playground(test)
                for number in stride(from: start, to: count, by: step) {
                    guard let failure = try await playground.playBriefly(Self.history(number)) else { continue }
                    let steps = Self.history(number).map { "  \($0)" }.joined(separator: "\n")
                    Issue.record("history \(number):\n\(steps)\nstep \(failure.index + 1) shows \(failure.complaints)")
                    return
                }
            }
        }

        /// Returns a number's history: its digits, where each call is a digit.
        private static func history(_ number: Int) -> [Operation] {
            var rest = number
            return (0..<length).map { _ in
                defer { rest /= alphabet.count }
                return alphabet[rest % alphabet.count]
            }
        }
    }
}
