import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Metered networks")
    struct MeteredTests {
        /// A program that reports a metered network to a daemon throughout its life, as `ubiquity-desktop` does.
        private final class Reporter: Sendable {
            private let descriptor: Int32

            init(_ device: TestDevice) throws {
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                self.descriptor = descriptor
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) {
                    $0.copyBytes(from: "\(device.state)/control.sock".utf8.prefix($0.count - 1))
                }
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                let code = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
                }
                guard code == 0 else { throw EndToEndError("connect: \(String(cString: strerror(errno)))") }
                for text in [
                    #"{"id":1,"request":{"hello":{"program":"x","version":{"major":1,"minor":9}}}}"#,
                    #"{"id":2,"request":{"reportMetered":{"isMetered":true}}}"#,
                ] {
                    let bytes = withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian, Array.init) + Array(text.utf8)
                    guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                        throw EndToEndError("the daemon ended the connection")
                    }
                }
            }

            deinit { close(descriptor) }
        }

        private static let waiting = "metered: uploads and background downloads wait"

        private func isShown(_ device: TestDevice) async throws -> Bool {
            try await device.ubiquity(["status", device.mount]).text().contains(Self.waiting)
        }

        @Test(
            "on a metered network edits and kept documents wait; what is opened or requested comes, and names travel; all goes on when the reporter is gone"
        )
        func reported() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("for f in kept opened requested old; do head -c 2M /dev/urandom > $f; done")
                try await a.sync()
                try await eventually("B lists what A has") { try await b.list().count == 4 }
                var reporter: Reporter? = try Reporter(b)
                try await eventually("the status says so") { try await isShown(b) }

                try await b.ubiquity(["pin", b.path("kept")]).text()
                try await b.shell("echo edited > new; mv old renamed")
                try await eventually("A has the new name") { try await a.list().contains("renamed") }
                try await b.download("requested")
                for name in ["opened", "requested"] {
                    let sum = try await b.shell("sha256sum < \(name)")
                    #expect(try await a.shell("sha256sum < \(name)") == sum)
                }
                #expect(try await b.status("kept").downloadingStatus == "notDownloaded")
                #expect(try await !b.status("new").isUploaded)
                #expect(try await !a.list().contains("new"))

                // A person running this waits for it.
                try await b.sync()
                #expect(try await b.status("new").isUploaded)
                #expect(try await b.status("kept").downloadingStatus == "notDownloaded")
                try await b.shell("echo more > later")

                withExtendedLifetime(reporter) {}
                reporter = nil
                try await eventually("the kept document is here") {
                    try await b.status("kept").downloadingStatus == "current"
                }
                try await eventually("A has everything") {
                    try await a.list() == ["kept", "later", "new", "opened", "renamed", "requested"]
                }
                #expect(try await !isShown(b))
            }
        }

        @Test("who chooses to continue on metered networks does not wait, also after a restart")
        func continuing() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                let shown = try await b.ubiquity(["limit", "--mount", b.mount]).lines()
                #expect(shown.last == "\(b.mount): on a metered network uploads and background downloads wait.")
                try await b.ubiquity(["limit", "--on-metered", "continue", "--mount", b.mount]).text()
                try await b.restart()
                let json = try await b.ubiquity(["limit", "--json", "--mount", b.mount]).text()
                #expect(
                    json.contains(#""onMetered":"continue""#) || json.contains(#""onMetered" : "continue""#), "\(json)")
                let reporter = try Reporter(b)
                try await eventually("the status says so") {
                    try await b.ubiquity(["status", b.mount]).text().contains("downloads continue")
                }
                try await b.shell("echo edited > new")
                try await eventually("A has it") { try await a.list() == ["new"] }
                // Transfers waiting when the choice changes continue.
                try await b.ubiquity(["limit", "--on-metered", "wait", "--mount", b.mount]).text()
                try await b.shell("echo edited > second; mkdir folder")
                try await eventually("A has the folder") { try await a.list() == ["folder", "new"] }
                try await b.ubiquity(["limit", "--on-metered", "continue", "--mount", b.mount]).text()
                try await eventually("A has all") { try await a.list() == ["folder", "new", "second"] }
                withExtendedLifetime(reporter) {}
                let wrong = try await b.ubiquity(["limit", "--on-metered", "sometimes"])
                #expect(wrong.status == 64, "\(wrong)")
            }
        }
    }
}
