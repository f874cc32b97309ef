import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Copying a cloud")
    struct CloudCopyTests {
        @Test("devices move from a directory to a server and to another directory without sending a document again")
        func move() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A", "B"]) { test in
                    let (a, b) = (test.a, test.b)
                    try await test.expectSameEverywhere(
                        "seq 1 500000 > big; echo one > text; mkdir d; echo two > d/x; echo three > text"
                    )
                    let sum = try await a.shell("sha256sum < big")
                    try await a.ubiquity(["login", server.url, "--code", server.code()]).text()
                    let first = test.cloud.url
                    let copied = try await a.ubiquity(["cloud", "copy", first, server.url]).text()
                    #expect(copied.contains("Copied") && copied.contains("1 containers"))
                    let again = try await a.ubiquity(["cloud", "copy", first, server.url]).text()
                    #expect(again.contains("is up to date"))
                    for device in [a, b] {
                        try await device.stop()
                        try await device.start(["--cloud", server.url])
                    }
                    // The device did not send the file again, and gets it from the server.
                    try await b.evict("big")
                    #expect(try await b.shell("sha256sum < big") == sum)
                    try await test.expectSameEverywhere("echo five > d/z")
                    let second = "\(test.root)/second"
                    try await a.sync()
                    try await a.ubiquity(["cloud", "copy", server.url, second]).text()
                    for device in [a, b] {
                        try await device.stop()
                        try await device.start(["--cloud", second])
                    }
                    try await a.evict("big")
                    #expect(try await a.shell("sha256sum < big") == sum)
                    try await test.expectSameEverywhere("echo six > d/w; rm d/x")
                    let report = try await a.ubiquity(["check", a.mount]).text()
                    #expect(report.contains("0 problems"))
                }
            }
        }

        @Test("a device that has seen more than was copied is refused, and goes on after another copy")
        func early() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await test.expectSameEverywhere("echo one > f")
                let (first, second) = (test.cloud.url, "\(test.root)/second")
                try await a.ubiquity(["cloud", "copy", first, second]).text()
                try await test.expectSameEverywhere("echo two > f")
                try await b.stop()
                let refused = try await b.tryStart(cloud: second)
                #expect(
                    refused.status == 6 && refused.errors.contains("ubiquity cloud move file://\(second)"), "\(refused)"
                )
                try await a.ubiquity(["cloud", "copy", first, second]).text()
                try await b.start(["--cloud", second])
                try await b.shell("echo three > f")
                try await b.sync()
                #expect(try await b.contents("f") == "three")
            }
        }

        @Test("a copy of a cloud into itself is refused with status 6, and a copy of a cloud that is absent with 4")
        func refused() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.expectSameEverywhere("echo one > f")
                let other = "\(test.root)/other"
                let none = try await test.a.ubiquity(["cloud", "copy", "\(test.root)/nowhere", other])
                #expect(none.status == 4)
                let same = try await test.a.ubiquity(["cloud", "copy", test.cloud.url, test.cloud.url])
                #expect(same.status == 6)
            }
        }
    }
}
