import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Status")
    struct StatusTests {
        @Test("every attribute shows its fact, on the device that made a document and on the other")
        func attributes() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("seq 1 1000 > f")
                try await a.sync()
                try await eventually("B lists it") { try await b.list() == ["f"] }
                let common = [
                    "isDownloading": "0", "downloadRequested": "0", "isUploaded": "1", "isUploading": "0",
                    "percentUploaded": "100", "hasUnresolvedConflicts": "0", "isExcludedFromSync": "0",
                    "pin": "inherited",
                    "isSyncPaused": "0", "device": "A", "container": "CloudDocs",
                ]
                let onA = common.merging(["status": "current", "percentDownloaded": "100"]) { $1 }
                let onB = common.merging(["status": "notDownloaded", "percentDownloaded": "0"]) { $1 }
                for (device, expected) in [(a, onA), (b, onB)] {
                    for (key, value) in expected {
                        #expect(try await device.attribute(key, of: "f") == value, "\(key) on \(device.name)")
                    }
                    for key in ["downloadingError", "uploadingError", "conflictOf"] {
                        #expect(try await device.attribute(key, of: "f") == nil, "\(key) on \(device.name)")
                    }
                    let json = try #require(try await device.attribute("json", of: "f"))
                    let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
                    #expect(object["status"] as? String == expected["status"])
                    #expect(object["isUploaded"] as? Bool == true)
                }
                for key in ["itemID", "version"] {
                    let value = try #require(try await a.attribute(key, of: "f"))
                    #expect(try await b.attribute(key, of: "f") == value)
                }
            }
        }

        @Test("listing shows no ubiquity attribute, and setting one is refused unless it is set to its present value")
        func hiddenAndReadOnly() async throws {
            try await TestDevices.withTwo { _, a, _ in
                try await a.shell("echo x > f")
                try await a.sync()
                #expect(try await a.shell("getfattr -m - f . ; listed=$(getfattr -m - -d f); echo \"$listed\"").isEmpty)
                for (key, value) in [("status", "current"), ("isUploaded", "1"), ("container", "CloudDocs")] {
                    #expect(try await a.setAttribute(key, to: value, of: "f").succeeded)
                    let refused = try await a.setAttribute(key, to: "other", of: "f")
                    #expect(refused.errors.contains("Operation not permitted"), "\(refused)")
                }
                let removed = try await a.tryShell("setfattr -x user.ubiquity.status f")
                #expect(removed.errors.contains("Operation not permitted"), "\(removed)")
            }
        }

        @Test("setting .evict and .download evicts and downloads")
        func commands() async throws {
            try await TestDevices.withTwo { _, a, _ in
                try await a.shell("seq 1 100000 > f; stat -c '%i %s %y' f > /dev/null")
                try await a.sync()
                let before = try await a.shell("stat -c '%i %s %y %a' f")
                #expect(try await a.setAttribute("evict", to: "1", of: "f").succeeded)
                try await eventually("it is evicted") { try await a.attribute("status", of: "f") == "notDownloaded" }
                #expect(try await a.shell("stat -c '%i %s %y %a' f") == before, "evicting changed what is seen")
                #expect(try await a.setAttribute("download", to: "1", of: "f").succeeded)
                try await eventually("it is downloaded") { try await a.attribute("status", of: "f") == "current" }
                try await a.shell("seq 1 100000 | cmp - f")
            }
        }

        @Test("evict refuses items that are not uploaded, open for writing or pinned, and loses nothing")
        func evictRefusals() async throws {
            try await TestDevices.withTwo { cloud, a, _ in
                try await a.shell("echo uploaded > f; echo pinned > p")
                try await a.sync()
                try await a.ubiquity(["pin", a.path("p")]).text()
                #expect(try await a.ubiquity(["evict", a.path("p")]).status == 6)
                try cloud.goOffline()
                try await a.shell("echo edited > f; echo new > n")
                #expect(try await a.ubiquity(["evict", a.path("f")]).status == 6)
                #expect(try await a.ubiquity(["evict", a.path("n")]).status == 6)
                #expect(try await a.holds(["f": "edited", "n": "new", "p": "pinned"]))
                try cloud.goOnline()
                try await a.sync()
                async let open = a.shell(
                    "exec 3>> f; touch ready; until test -e go; do read -t 0.1 < <(:) || true; done")
                try await eventually("it is open") { try await a.list().contains("ready") }
                #expect(try await a.ubiquity(["evict", a.path("f")]).status == 6)
                try await a.shell("touch go")
                _ = try await open
                try await eventually("closed and uploaded, it can go") {
                    try await a.sync()
                    return try await a.ubiquity(["evict", a.path("f")]).succeeded
                }
                #expect(try await a.contents("f") == "edited")
            }
        }

        @Test("a pinned folder downloads its items and later ones, and unpinning ends that")
        func pin() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; seq 1 1000 > d/f; seq 1 1000 > free")
                try await a.sync()
                try await eventually("B lists all") { try await b.paths() == ["d/f", "free"] }
                try await b.ubiquity(["pin", b.path("d")]).text()
                try await eventually("what is there is downloaded") {
                    try await b.status("d/f").downloadingStatus == "current"
                }
                #expect(try await b.status("d").pin == "keep")
                #expect(try await b.status("d/f").effectivePin == "keep")
                try await a.shell("echo later > d/g")
                try await eventually("what comes later is downloaded too") {
                    guard try await b.paths().contains("d/g") else { return false }
                    return try await b.status("d/g").downloadingStatus == "current"
                }
                #expect(try await b.status("free").downloadingStatus == "notDownloaded")
                try await b.ubiquity(["unpin", b.path("d")]).text()
                try await b.evict("d/f")
                #expect(try await b.status("d/f").downloadingStatus == "notDownloaded")
                #expect(try await b.setAttribute("pin", to: "nonsense", of: "free").errors.contains("Invalid argument"))
            }
        }

        @Test(
            "a document that is excluded by its attribute stays here, disappears from the other device, and can be included again"
        )
        func exclude() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("echo x > f; echo y > g")
                try await a.sync()
                try await eventually("B lists both") { try await b.list() == ["f", "g"] }
                #expect(try await a.setAttribute("isExcludedFromSync", to: "1", of: "f").succeeded)
                try await eventually("it leaves B") { try await b.list() == ["g"] }
                #expect(try await a.contents("f") == "x")
                #expect(try await a.setAttribute("isExcludedFromSync", to: "0", of: "f").succeeded)
                try await eventually("it is back on B") { try await b.holds(["f": "x", "g": "y"]) }
            }
        }

        @Test("download --wait downloads a whole folder, and sync --wait returns when the cloud has everything")
        func waiting() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir -p d/e; for i in 1 2 3 4 5; do seq 1 ${i}000 > d/e/$i; done")
                try await a.sync()
                #expect(try cloud.contents().logEntries > 0)
                #expect(try await a.status("d/e/5").isUploaded)
                try await eventually("B lists it") { try await b.tryShell("test -e d/e/5").succeeded }
                try await b.download("d")
                for name in try await b.list("d/e") {
                    #expect(try await b.status("d/e/\(name)").downloadingStatus == "current")
                }
                try cloud.goOffline()
                try await b.shell("cmp <(seq 1 5000) d/e/5")
                let outcome = try await b.ubiquity(["sync", "--wait", "--timeout", "1", b.mount])
                #expect([4, 5].contains(outcome.status), "what the cloud has cannot be asked: \(outcome)")
                try await b.shell("echo x > new")
                let waiting = try await b.ubiquity(["sync", "--wait", "--timeout", "1", b.mount])
                #expect([4, 5].contains(waiting.status), "it cannot be in the cloud: \(waiting)")
                try cloud.goOnline()
            }
        }

        @Test("status --json shows the mount, its daemon, its state, cloud and queue")
        func mountStatus() async throws {
            try await TestDevices.withTwo { cloud, a, _ in
                let status = try await a.mountStatus()
                #expect(status.pid == a.daemon.pid && status.state == a.state && status.isAnswering)
                #expect(status.device.name == "A" && status.cloud.url == cloud.url && status.cloud.state == "online")
                try await a.shell("echo x > f")
                try await a.sync()
                #expect(try await a.mountStatus().queue.pendingItems == 0)
            }
        }
    }
}

extension TestDevice {
    struct MountStatus: Decodable {
        struct Device: Decodable { let name: String }
        struct Cloud: Decodable {
            let url, state: String
            let message: String?
        }
        struct Queue: Decodable { let uploads, downloads, pendingItems, pendingBytes: Int }

        let mount: String
        let pid: Int32
        let state: String
        let isAnswering: Bool
        let device: Device
        let cloud: Cloud
        let queue: Queue
    }

    /// Returns this device's mount from `ubiquity status --json`, which reports all of the user's mounts.
    func mountStatus() async throws -> MountStatus {
        struct Mount: Decodable {
            let status: MountStatus?

            init(from decoder: any Decoder) throws {
                // Another program's mount may be dead and lack fields.
                status = try? MountStatus(from: decoder)
            }
        }
        struct Answer: Decodable { let mounts: [Mount] }
        let text = try await ubiquity(["status", "--json"]).output
        let mounts = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).mounts
        return try #require(mounts.compactMap(\.status).first { $0.mount == mount })
    }
}
