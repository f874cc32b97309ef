import CLinux
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Calls by name at the moment when another device gives the name to another document: a path must show the current
    /// document.
    @Suite("Calls by names that another device takes")
    struct NameRaceTests {
        /// A program's action on a name.
        private enum Act: CaseIterable {
            case move, moveOver, exchange, remove, list
        }

        private static let names = 240

        @Test(
            "after renames, exchanges and removals of names that another device takes, each path shows the document that it names",
            .needsRoot)
        func taken() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed \(seed)")
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir t p; for k in $(seq \(Self.names)); do echo old $k > p/o$k; done")
                try await test.a.sync()
                try await eventually("B has the folders") { try await test.b.list() == ["p", "t"] }
                // Both create the same names; A, which is offline, has other documents under them.
                try await test.a.ubiquity(["offline", test.a.mount]).text()
                try await test.b.shell("for k in $(seq \(Self.names)); do echo B $k > t/n$k; done")
                try await test.b.sync()
                try await test.a.shell("for k in $(seq \(Self.names)); do echo A $k > t/n$k; done; cat t/* > /dev/null")
                try await test.a.ubiquity(["online", test.a.mount]).text()
                try await Self.act(in: test.a.documents, seed: seed)
                try await test.a.sync()
                try await Self.expectShown(test.a)
                try await test.expectConverged()
            }
        }

        /// Cycles through the names while the remote changes arrive.
        private static func act(in documents: String, seed: UInt64) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<2 {
                    group.addTask {
                        try await onOwnThread {
                            var random = SeededGenerator(seed: seed &+ UInt64(part))
                            for number in 1...names where number % 2 == part {
                                try act(Act.allCases.randomElement(using: &random) ?? .list, on: number, in: documents)
                            }
                        }
                    }
                }
                for try await _ in group {}
            }
        }

        private static func act(_ act: Act, on number: Int, in documents: String) throws {
            let (name, other) = ("\(documents)/t/n\(number)", "\(documents)/p/o\(number)")
            let result =
                switch act {
                case .move: rename(name, "\(documents)/p/k\(number)")
                case .moveOver: rename(name, other)
                case .exchange: linux_rename(name, other, 2)
                case .remove: unlink(name)
                case .list: access(name, F_OK)
                }
            guard result == 0 else { throw EndToEndError("\(act) of n\(number): \(String(cString: strerror(errno)))") }
        }

        /// Expects that the kernel's caches agree with the file system.
        private static func expectShown(_ device: TestDevice) async throws {
            let script = "stat -c '%n %i %h %s' t/* p/*; tail -n +1 t/* p/*"
            let cached = try await device.shell(script)
            try await device.shell("echo 2 > /proc/sys/vm/drop_caches")
            let fresh = try await device.shell(script)
            let differences = zip(cached.split(separator: "\n"), fresh.split(separator: "\n")).filter { $0 != $1 }
            #expect(differences.isEmpty, "cached and fresh: \(differences.prefix(5))")
            #expect(cached == fresh)
        }
    }
}
