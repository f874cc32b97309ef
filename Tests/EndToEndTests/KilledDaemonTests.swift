import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A daemon's thread that invalidates a name waits in the kernel for the folder's lock. A program may hold it, and
    /// wait for the daemon.
    @Suite("Daemons that are killed")
    struct KilledDaemonTests {
        /// `UBIQUITY_KILLS=1000` is a long run.
        private static let kills = getenv("UBIQUITY_KILLS").flatMap { Int(String(cString: $0)) } ?? 20

        /// Ends when the mount has died under it.
        private static func program(_ number: Int) -> String {
            """
            while stat -f . > /dev/null && cd "$PWD"; do
                mkdir w/\(number) && mv w/\(number) w/\(number)x && rmdir w/\(number)x
                echo \(number) > w/\(number)t && mv w/\(number)t w/\(number)u
            done 2> /dev/null
            """
        }

        @Test("a daemon that crashes leaves no core file with documents and keys, wherever its user's limit allows one")
        func coreFiles() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let limits = try String(contentsOfFile: "/proc/\(test.a.daemon.pid ?? 0)/limits", encoding: .utf8)
                let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
                #expect(line.split(separator: " ")[4] == "0", "\(line)")
            }
        }

        @Test("a daemon that is killed at any moment leaves no program waiting, and the next mount works")
        func anyMoment() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir w")
                try await test.a.sync()
                try await eventually("B has the folder") { try await test.b.list().contains("w") }
                // Remote changes in the local programs' folder.
                let plain = try test.plain()
                async let changes = test.b.tryShell(
                    """
                    until [ -e \(plain)/end ]; do
                        for k in 1 2 3 4 5 6 7 8; do mkdir w/b$k && mv w/b$k w/c$k && rmdir w/c$k; echo $k > w/d$k; done
                    done 2> /dev/null
                    """, limit: .seconds(60 + 20 * Self.kills))
                for kill in 1...Self.kills {
                    let pause = Duration.milliseconds(random.number(20..<700))
                    try await withThrowingTaskGroup(of: ProgramOutcome.self) { group in
                        for number in 1...4 {
                            group.addTask {
                                try await test.a.tryShell(Self.program(number), limit: pause + .seconds(10))
                            }
                        }
                        try await Task.sleep(for: pause)
                        test.a.daemon.send(SIGKILL)
                        do { for try await _ in group {} } catch {
                            throw EndToEndError("after \(kill) kills, \(pause): \(error)")
                        }
                    }
                    try await test.a.start()
                }
                try Data().write(to: URL(filePath: "\(plain)/end"))
                _ = try await changes
                try await test.expectConverged()
            }
        }
    }
}
