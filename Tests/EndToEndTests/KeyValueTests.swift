import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Settings shared by all devices.
    @Suite("Key values")
    struct KeyValueTests {
        @Test(
            "a key written on one device is read on the other, which is notified; the last write wins, also one made offline"
        )
        func keyValues() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                func set(_ device: TestDevice, _ key: String, _ value: String) async throws {
                    try await device.ubiquity(["kv", "set", key, value, "--mount", device.mount]).text()
                }
                func get(_ device: TestDevice, _ key: String) async throws -> String? {
                    let outcome = try await device.ubiquity(["kv", "get", key, "--mount", device.mount])
                    return outcome.status == 0 ? try outcome.text() : nil
                }
                try await b.lasting("kv watch --mount '\(b.mount)'") { watch in
                    try await watch.begins()
                    try await set(a, "theme", "dark")
                    #expect(try await get(a, "theme") == "dark")
                    try await eventually("B has it") { try await get(b, "theme") == "dark" }
                    try await watch.prints("the change") {
                        $0 == #"{"reason":"serverChange","values":{"theme":"dark"}}"#
                    }
                }
                try cloud.goOffline()
                try await set(a, "theme", "offline, earlier")
                try await set(b, "theme", "offline, later")
                try await a.kill9()
                try cloud.goOnline()
                try await a.restart()
                for device in [a, b] {
                    try await eventually("\(device.name) has the later one") {
                        try await get(device, "theme") == "offline, later"
                    }
                }
                try await b.ubiquity(["kv", "remove", "theme", "--mount", b.mount]).text()
                try await eventually("it is removed on A") { try await get(a, "theme") == nil }
                try await a.ubiquity([
                    "kv", "set", "all", #"{"a":[1,2.5,true],"d":{"$data":"AAE="}}"#, "--json", "--mount", a.mount,
                ])
                .text()
                try await eventually("B has all kinds of values") {
                    try await get(b, "all") == #"{"a":[1,2.5,true],"d":{"$data":"AAE="}}"#
                }
                let long = String(repeating: "k", count: 65)
                #expect(try await a.ubiquity(["kv", "set", long, "x", "--mount", a.mount]).status == 64)
            }
        }

        @Test("a key that was written but not sent survives a reset")
        func resetKeepsKeys() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.sync()
                try test.cloud.goOffline()
                try await test.a.ubiquity(["kv", "set", "k", "kept", "--mount", test.a.mount]).text()
                try await test.a.stop()
                try test.cloud.goOnline()
                // Without a daemon, nothing is appended to the log before the state is rebuilt. The command starts one.
                try await test.a.ubiquity(["reset", test.a.mount, "--state", test.a.state, "--yes"]).text()
                #expect(try await test.a.ubiquity(["kv", "get", "k", "--mount", test.a.mount]).text() == "kept")
            }
        }

        @Test(
            "a key whose write is missing in a cloud that went back is sent again by a reset, and the later write of a key stays"
        )
        func resetAfterCloudWentBack() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                func set(_ device: TestDevice, _ key: String, _ value: String) async throws {
                    try await device.ubiquity(["kv", "set", key, value, "--mount", device.mount]).text()
                }
                func get(_ device: TestDevice, _ key: String) async throws -> String {
                    try await device.ubiquity(["kv", "get", key, "--mount", device.mount]).text()
                }
                for (key, value) in [("k", "one"), ("unchanged", "1")] { try await set(a, key, value) }
                try await a.sync()
                let copy = "\(cloud.directory)-copy"
                try FileManager.default.copyItem(atPath: cloud.directory, toPath: copy)
                for (key, value) in [("k", "two"), ("new", "2")] { try await set(a, key, value) }
                try await a.sync()
                try await eventually("B has both") { try await get(b, "k") == "two" }
                for device in [a, b] { try await device.stop() }
                try FileManager.default.removeItem(atPath: cloud.directory)
                try FileManager.default.moveItem(atPath: copy, toPath: cloud.directory)
                for device in [a, b] {
                    try await device.ubiquity(["reset", device.mount, "--state", device.state, "--yes"]).text()
                }
                for device in [a, b] {
                    try await eventually("\(device.name) has all") {
                        try await [get(device, "k"), get(device, "new"), get(device, "unchanged")] == ["two", "2", "1"]
                    }
                }
                try await set(b, "k", "three")
                try await eventually("a later write wins") { try await get(a, "k") == "three" }
            }
        }
    }
}
