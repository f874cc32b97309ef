import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A package changed separately by two devices is a single document in conflict, for every command and program that
    /// lists conflicts.
    @Suite("Conflicts of packages")
    struct PackageConflictTests {
        private func makePackage(_ a: TestDevice, _ b: TestDevice) async throws {
            try await a.shell("mkdir d.rtfd; echo 1 > d.rtfd/x; echo 1 > d.rtfd/y")
            try await a.sync()
            try await b.sync()
            try await b.download("d.rtfd")
        }

        /// Creates a conflict won by A's change, because it is sent first.
        ///
        /// - Returns: The name of B's whole package once both devices show it.
        private func makeConflict(
            _ cloud: TestCloud, _ a: TestDevice, _ b: TestDevice, _ round: String = ""
        ) async throws -> String {
            try cloud.goOffline()
            try await a.shell("echo A\(round) > d.rtfd/x")
            try await b.shell("echo B\(round) > d.rtfd/y")
            b.freeze()
            try cloud.goOnline()
            try await a.sync()
            b.thaw()
            try await b.sync()
            try await a.sync()
            try await eventually("both devices show both") {
                let (names, others) = (try await a.list(), try await b.list())
                return names.count == 2 && others == names
            } describe: {
                try await "A: \(a.list()), B: \(b.list())"
            }
            return try #require(try await a.list().first { $0 != "d.rtfd" })
        }

        private func isResolved(_ devices: [TestDevice]) async throws {
            for device in devices {
                try await eventually("\(device.name) shows no conflict") {
                    let listed = try await device.ubiquity(["conflicts", device.mount]).text()
                    let status = try await device.status("d.rtfd")
                    return listed == "No conflicts." && !status.hasUnresolvedConflicts
                }
            }
        }

        @Test(
            "both devices list the conflict, in status, conflicts, versions and queries, with the device of each version of the package"
        )
        func listed() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await makePackage(a, b)
                let copy = try await makeConflict(cloud, a, b)
                for device in [a, b] {
                    #expect(try await device.shell("cat d.rtfd/x d.rtfd/y") == "A\n1")
                    #expect(try await device.status("d.rtfd").hasUnresolvedConflicts)
                    #expect(try await !device.status(copy).hasUnresolvedConflicts)
                    #expect(try await device.attribute("hasUnresolvedConflicts", of: "d.rtfd") == "1")
                    #expect(try await device.attribute("conflictOf", of: copy)?.hasSuffix("/d.rtfd") == true)
                    let listed = try await device.ubiquity(["conflicts", device.mount]).text()
                    #expect(listed.contains(device.path("d.rtfd")) && listed.contains(device.path(copy)), "\(listed)")
                    let versions = try await device.ubiquity(["versions", device.path("d.rtfd"), "--json"]).text()
                    struct Answer: Decodable {
                        struct Version: Decodable { let kind, device: String }
                        let versions: [Version]
                    }
                    let found = try JSONDecoder().decode(Answer.self, from: Data(versions.utf8)).versions
                        .filter { $0.kind != "history" }
                    #expect(found.map(\.kind) == ["current", "conflict"] && found.last?.device == "B", "\(versions)")
                    let inConflict = try await device.ubiquity(
                        ["find", "hasUnresolvedConflicts == TRUE", "--mount", device.mount]
                    ).text()
                    #expect(inConflict == device.path("d.rtfd"))
                    let names = try await device.run("getfattr", "-d", "-m", "-", "--", device.path(copy)).output
                    #expect(!names.contains("ubiquity.conflict"), "\(names)")
                }
            }
        }

        @Test("resolve keeps one version of the package, or both, on both devices")
        func resolve() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await makePackage(a, b)
                _ = try await makeConflict(cloud, a, b)
                try await a.ubiquity(["resolve", a.path("d.rtfd"), "--keep", "both"]).text()
                try await a.sync()
                try await b.sync()
                try await isResolved([a, b])
                #expect(try await b.list() == ["d 2.rtfd", "d.rtfd"])

                try await a.shell("rm -r 'd 2.rtfd'")
                try await a.sync()
                try await b.sync()
                let second = try await makeConflict(cloud, a, b, "2")
                let version = try #require(
                    try await a.ubiquity(["conflicts", a.mount]).text().split(separator: "\n").last?.split(
                        separator: " "
                    ).first)
                try await a.ubiquity(["resolve", a.path(second), "--keep", String(version)]).text()
                try await a.sync()
                try await b.sync()
                try await isResolved([a, b])
                for device in [a, b] {
                    #expect(try await device.list() == ["d.rtfd"])
                    #expect(try await device.contents("d.rtfd/y") == "B2")
                }

                // A write to a package on a device without its bytes needs the cloud.
                for device in [a, b] { try await device.download("d.rtfd") }
                _ = try await makeConflict(cloud, a, b, "3")
                try await b.ubiquity(["resolve", b.path("d.rtfd"), "--keep", "current"]).text()
                try await b.sync()
                try await a.sync()
                try await isResolved([a, b])
                for device in [a, b] { #expect(try await device.list() == ["d.rtfd"]) }
            }
        }

        @Test(
            "a losing version of a package becomes a document of its own when it is renamed, and is resolved when it is deleted"
        )
        func byHand() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await makePackage(a, b)
                let copy = try await makeConflict(cloud, a, b)
                try await b.shell("mv '\(copy)' mine.rtfd")
                try await b.sync()
                try await a.sync()
                try await isResolved([a, b])
                #expect(try await a.list() == ["d.rtfd", "mine.rtfd"])
                try await a.shell("rm -r mine.rtfd")
                try await a.sync()
                try await b.sync()
                let second = try await makeConflict(cloud, a, b, "2")
                try await a.shell("rm -r '\(second)'")
                try await a.sync()
                try await b.sync()
                try await isResolved([a, b])
                #expect(try await b.list() == ["d.rtfd"])
            }
        }

        @Test("a program that presents a package is notified of the conflict and of its resolution")
        func presenters() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await makePackage(a, b)
                try await a.presenting("d.rtfd") { onA in
                    try await b.presenting("d.rtfd") { onB in
                        _ = try await makeConflict(cloud, a, b)
                        try await onA.says("gained a version of B")
                        try await onB.says("gained a version of B")
                        try await b.ubiquity(["resolve", b.path("d.rtfd"), "--keep", "current"]).text()
                        try await onB.says("resolved")
                    }
                }
            }
        }

        @Test(
            "a program replaces the document with the losing version of the package using the library, on both devices")
        func library() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await makePackage(a, b)
                _ = try await makeConflict(cloud, a, b)
                let said = try await b.shell(
                    "UBIQUITY_MOUNT='\(b.mount)' \(b.binaries)/presenter-tool resolve d.rtfd")
                #expect(said == "1 of B\ntook its place\n0 left")
                try await b.sync()
                try await a.sync()
                try await isResolved([a, b])
                for device in [a, b] {
                    #expect(try await device.list() == ["d.rtfd"])
                    #expect(try await device.shell("cat d.rtfd/x d.rtfd/y") == "1\nB")
                }
            }
        }
    }
}
