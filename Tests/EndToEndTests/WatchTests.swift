import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Remote changes, as seen by editors, file managers and build tools through `inotify(7)`.
    @Suite("Watchers on the mount")
    struct WatchTests {
        private func expect(_ events: [String], of queue: InotifyQueue) async throws {
            try await eventually(
                "\(events)", { Set(events).isSubset(of: Set(queue.events)) }, describe: { "\(queue.events)" })
        }

        @Test("a watcher is notified of what another device creates, changes, moves and removes, once each")
        func elsewhere() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; echo x > d/old; echo y > whole; echo z > part")
                try await a.sync()
                try await b.sync()
                #expect(try await b.shell("cat whole; ls d") == "y\nold")
                let queue = try InotifyQueue(["documents": b.documents, "d": b.path("d")])
                try await a.shell("echo new > d/new; mkdir e; ln -s whole link")
                try await expect(["created d/new", "created documents/e", "created documents/link"], of: queue)
                try await a.shell("echo more >> whole; echo more >> part")
                try await expect(["modified documents/whole", "modified documents/part"], of: queue)
                try await a.shell("mv d/new e/new; mv part renamed; mv d/old d/young")
                let moves = [
                    "moved from d/new", "moved from documents/part", "moved to documents/renamed", "moved from d/old",
                    "moved to d/young",
                ]
                try await expect(moves, of: queue)
                try await a.shell("rm whole d/young link; rm -r e")
                let removals = ["removed documents/whole", "removed d/young", "removed documents/link"]
                try await expect(removals + ["removed documents/e"], of: queue)
                let events = queue.events
                #expect(Set(events).count == events.count, "\(events)")
                #expect(try await b.shell("ls -R; cat renamed") == ".:\nd\nrenamed\n\n./d:\nz\nmore")
                #expect(try await a.shell("ls -R; cat renamed") == ".:\nd\nrenamed\n\n./d:\nz\nmore")
            }
        }

        @Test("a program's own changes have the events that the kernel sends, and no more")
        func own() async throws {
            try await TestDevices.withTwo { _, a, b in
                let queue = try InotifyQueue(["documents": b.documents])
                try await b.shell("echo x > f; mv f g; echo y > h; rm h")
                try await b.sync()
                // A later remote change ends the wait.
                try await a.shell("echo last > last")
                try await expect(["created documents/last"], of: queue)
                let events = queue.events.filter { !$0.contains("last") }
                #expect(
                    events == [
                        "created documents/f", "modified documents/f", "moved from documents/f",
                        "moved to documents/g", "created documents/h", "modified documents/h", "removed documents/h",
                    ])
            }
        }

        @Test("a watcher is notified again after a kill of the announcer, which ends with the mount")
        func killed() async throws {
            try await TestDevices.withTwo { _, a, b in
                let queue = try InotifyQueue(["documents": b.documents])
                try await a.shell("echo x > f")
                try await expect(["created documents/f"], of: queue)
                let announcer = "pgrep -f '[a]nnounce \(b.mount)'"
                let process = try await b.runner.run("sh", ["-c", announcer], in: "/").text()
                _ = try await b.runner.run("kill", ["-9", process], in: "/")
                try await a.shell("echo x > g")
                try await a.shell("echo x > h")
                try await expect(["created documents/h"], of: queue)
                try await b.stop()
                try await eventually("the announcer ends with the mount") {
                    try await !b.runner.run("sh", ["-c", announcer], in: "/").succeeded
                }
            }
        }
    }
}
