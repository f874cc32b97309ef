import TestSupport
import Testing

extension EndToEnd {
    @Suite("What eviction says and stops")
    struct EvictionOutcomeTests {
        @Test(
            "a folder with a file that never syncs, one that is open and a pinned one is evicted but for these, which are named"
        )
        func folder() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell(
                    "mkdir d e; for i in a b c open kept; do echo $i > d/$i.odt; done; echo x > 'd/.~lock.a.odt#'")
                try await a.shell("cp 'd/.~lock.a.odt#' e/; echo x > e/x")
                try await a.sync()
                try await a.ubiquity(["pin", a.path("d/kept.odt")]).text()
                let evicted = try await a.shell("exec 9<d/open.odt; \(a.command(["evict", a.path("d")]))")
                #expect(evicted.contains("(3 items, 6 B)."), "\(evicted)")
                #expect(evicted.contains("Kept 3: "), "\(evicted)")
                for kept in [".~lock.a.odt# (not synced)", "open.odt (open)", "kept.odt (pinned)"] {
                    #expect(evicted.contains(kept), "\(evicted)")
                }
                _ = try await a.ubiquity(["evict", a.path("e")]).text()
                let again = try await a.ubiquity(["evict", a.path("e")])
                #expect(again.succeeded, "what never syncs is no reason: \(again)")
                let one = try await a.ubiquity(["evict", a.path("d/kept.odt")])
                #expect(one.status == 6 && one.errors.contains("pinned"), "\(one)")
            }
        }

        @Test(
            "eviction, the attribute, a pause and the end of a waiting command stop a download, and it does not come by itself"
        )
        func running() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("head -c 3000000 /dev/urandom > film")
                try await a.sync()
                try await b.ubiquity(["limit", "--mount", b.mount, "--down", "20K"]).text()
                try await eventually("B lists it") { try await b.list() == ["film"] }
                for name in ["evict", "attribute", "pause"] {
                    try await b.ubiquity(["download", b.path("film")]).text()
                    try await eventually("it is under way") {
                        try await b.attribute("isDownloading", of: "film") == "1"
                    }
                    switch name {
                    case "evict":
                        let said = try await b.ubiquity(["evict", b.path("film")]).text()
                        #expect(said.contains("Stopped 1 download."), "\(said)")
                    case "attribute":
                        let outcome = try await b.setAttribute("evict", to: "1", of: "film")
                        #expect(outcome.succeeded, "\(outcome)")
                    default:
                        try await b.ubiquity(["pause", b.path("film")]).text()
                        try await b.ubiquity(["resume", b.path("film")]).text()
                    }
                    try await eventually("\(name) stopped it") {
                        let isRunning = try await b.attribute("isDownloading", of: "film")
                        let isRequested = try await b.attribute("downloadRequested", of: "film")
                        return isRunning == "0" && isRequested == "0"
                    }
                }
                let waiting = try await b.tryShell(
                    "timeout -s INT 2 \(b.command(["download", "--wait", b.path("film")]))")
                #expect(waiting.status != 0)
                try await eventually("Ctrl-C stopped it") {
                    try await b.attribute("downloadRequested", of: "film") == "0"
                }
                #expect(try await b.attribute("status", of: "film") == "notDownloaded")
            }
        }
    }
}
