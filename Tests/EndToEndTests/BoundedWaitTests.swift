import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Waits for bytes that do not arrive.
    @Suite("Bounded waits")
    struct BoundedWaitTests {
        /// Runs `body` while B has placeholders of `f` and of the files of a folder `d`, and no cloud.
        private func inVain(_ body: (_ cloud: TestCloud, _ b: TestDevice) async throws -> Void) async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir d; echo x > f; echo y > d/g; echo z > d/h")
                try await a.sync()
                try await b.sync()
                try cloud.goOffline()
                try await body(cloud, b)
            }
        }

        @Test(
            "download --wait ends with status 4 while the cloud is offline, and the download finishes when the cloud is back"
        )
        func download() async throws {
            try await inVain { cloud, b in
                let outcome = try await b.ubiquity(["download", "--wait", "\(b.documents)/f", "\(b.documents)/d"])
                #expect(outcome.status == 4, "\(outcome)")
                #expect(outcome.errors.contains("the cloud cannot be reached"), "\(outcome)")
                try cloud.goOnline()
                for name in ["f", "d/g", "d/h"] {
                    try await eventually("\(name) comes") {
                        try await b.attribute("status", of: name) == "current"
                    }
                }
            }
        }

        @Test("Ctrl-C ends download --wait")
        func interrupted() async throws {
            try await inVain { _, b in
                let command = b.command(["download", "--wait", "f"])
                let outcome = try await b.tryShell("timeout --preserve-status --signal INT 1 \(command)")
                #expect(outcome.status == 130, "\(outcome)")
            }
        }

        @Test(
            "a coordinated read of bytes that cannot arrive ends with an error, and neither its queue nor a writer waits for it"
        )
        func coordinatedRead() async throws {
            try await inVain { _, b in
                try await b.showing("presenter-tool", "fetch f", first: "asked") { shown in
                    try await shown.says("free")
                    let write = b.command(["coordinate", "write", "f", "--timeout", "60"])
                    #expect(try await b.tryShell("\(write) -- true").succeeded)
                    try await shown.says("error \(CocoaError.Code.ubiquitousFileUnavailable.rawValue)")
                    #expect(try await b.ubiquity(["diagnose", "--claims", b.mount]).text().contains("no program"))
                }
            }
        }

        @Test(
            "a coordinated read that waits for bytes is ended by cancel, and so are later requests of its coordinator"
        )
        func cancelled() async throws {
            try await inVain { _, b in
                try await b.showing("presenter-tool", "fetch f", first: "asked") { shown in
                    try await shown.says("free")
                    try shown.type("cancel")
                    let cancelled = "error \(CocoaError.Code.userCancelled.rawValue)"
                    try await shown.says(cancelled)
                    try shown.type("again")
                    try await shown.says(cancelled, times: 2)
                }
            }
        }
    }
}
