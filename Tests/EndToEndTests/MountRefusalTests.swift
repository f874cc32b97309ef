import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Mounts that are refused")
    struct MountRefusalTests {
        private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

        @Test("a folder whose documents are in another cloud is not mounted with this one, which is not remembered")
        func otherCloud() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo x > f")
                try await a.sync()
                try await a.stop()
                let other = "file://\(test.root)/other-cloud"
                let absent = try await a.ubiquity(["mount", a.mount, "--state", a.state, "--cloud", other])
                #expect(absent.status == 4 && absent.errors.contains("Nothing was changed"), "\(absent)")
                let options = ["mount", "\(test.root)/N", "--state", "\(test.root)/S", "--cloud", other]
                try await a.ubiquity(options).text()
                try await a.ubiquity(["unmount", "\(test.root)/N"]).text()
                for _ in 0..<2 {
                    let outcome = try await a.ubiquity(["mount", a.mount, "--state", a.state, "--cloud", other])
                    #expect(outcome.status == 6, "\(outcome)")
                    #expect(outcome.errors.contains("belongs to another cloud, \(test.cloud.url)"), "\(outcome)")
                    #expect(outcome.errors.contains("ubiquity mount DIR --cloud \(other)"), "\(outcome)")
                    #expect(outcome.errors.contains("ubiquity cloud move \(other)"), "\(outcome)")
                }
                try await a.adopt(a.ubiquity(["mount", a.mount, "--state", a.state]))
                #expect(try await a.contents("f") == "x", "the cloud of before is the remembered one")
                try await a.sync()
            }
        }

        @Test("a cloud's address that can never work is refused, and no folder is left of the mount and its state")
        func hopelessAddress() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let (mount, state) = ("\(test.root)/M", "\(test.root)/S")
                for (cloud, why) in [
                    ("file:///etc", "contains other files"), ("gopher://x", "not supported"),
                    ("file:///sys/cloud", "/sys/cloud"),
                ] {
                    let outcome = try await test.a.ubiquity(["mount", mount, "--state", state, "--cloud", cloud])
                    #expect(outcome.status == (cloud.hasPrefix("file") ? 6 : 64), "\(outcome)")
                    #expect(outcome.errors.contains(why), "\(outcome)")
                    #expect(!exists(mount) && !exists(state))
                }
                let name = try await test.a.ubiquity(["mount", mount, "--state", state, "--device", "a/b"])
                #expect(name.status == 64 && !exists(mount) && !exists(state), "\(name)")
            }
        }

        @Test("a mount point inside of a mount is refused, and no container is made for it")
        func inside() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                for inner in ["\(a.mount)/inner", "\(a.documents)/d"] {
                    let outcome = try await a.ubiquity(["mount", inner, "--state", "\(test.root)/S"])
                    #expect(outcome.status == 6 && outcome.errors.contains("inside the mount"), "\(outcome)")
                    #expect(!exists(inner) && !exists("\(test.root)/S"))
                }
            }
        }
    }
}
