import Foundation
import TestSupport
import Testing

/// The daemon's own requests to a document's presenters.
extension EndToEnd.PresenterTests {
    @Test("a presenter saves its document before it is uploaded, and is notified of what happens to it in the cloud")
    func upload() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            try await test.a.presenting("f") { shown in
                try await test.a.shell("echo y > f")
                try await shown.says("reader")
                try await shown.says("save")
                try await shown.says("back")
                try await shown.says("attribute NSURLUbiquitousItemIsUploadedKey")
                try await test.a.sync()
                #expect(try await test.a.attribute("isUploaded", of: "f") == "1")
            }
        }
    }

    @Test("sync --wait and publishing upload unsaved edits of programs; a plain sync asks no program")
    func unsaved() async throws {
        try await TestDevices.withTwo { _, a, b in
            try await a.shell("mkdir d; echo x > f; echo x > d/g")
            try await a.sync()
            try await a.presenting("f unsaved 'typed in f'") { shown in
                try await a.presenting("d/g unsaved 'typed in g'", name: "other") { other in
                    _ = try await a.ubiquity(["sync", a.mount]).text()
                    #expect(shown.said == ["presenting"])
                    _ = try await a.ubiquity(["sync", "--wait", a.path("d")]).text()
                    try await eventually("it arrives") { try await b.tryShell("grep -q typed d/g").succeeded }
                    #expect(shown.said == ["presenting"], "\(shown.said)")
                    #expect(other.said.contains("save"))
                    try await a.sync()
                    #expect(shown.said.contains("save"))
                }
            }
            try await eventually("it arrives") { try await b.tryShell("grep -q 'typed in f' f").succeeded }
        }
    }

    @Test("a presenter that never replies delays an upload once, for a limited time")
    func deafUpload() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            try await test.a.presenting("f deaf") { shown in
                try await test.a.shell("echo y > f")
                try await shown.says("reader")
                try await test.a.sync()
                // The upload and the sync ask the presenter at the same time.
                let asked = shown.said.count { $0 == "reader" }
                try await test.a.shell("echo z > f")
                try await test.a.sync()
                #expect(shown.said.count { $0 == "reader" } == asked)
            }
        }
    }

    @Test("the bytes of a presented document are evicted only if its presenter agrees")
    func eviction() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            let evict = ["evict", "\(test.a.documents)/f"]
            try await test.a.presenting("f") { shown in
                let refused = try await test.a.ubiquity(evict)
                #expect(!refused.succeeded && refused.errors.contains("not ready"), "\(refused)")
                #expect(shown.notices == ["presenting", "eviction"])
            }
            var freed: ProgramOutcome?
            try await test.a.presenting("f yields", name: "yielding") { _ in freed = try await test.a.ubiquity(evict)
            }
            #expect(freed?.succeeded == true)
            #expect(try await test.a.shell(test.a.note("f state")) == "in the cloud, uploaded")
        }
    }

    @Test("evicting with the extended attribute asks the document's presenters, without blocking the caller")
    func evictionByAttribute() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            try await test.a.presenting("f") { shown in
                let asked = try await test.a.setAttribute("evict", to: "1", of: "f")
                #expect(asked.errors.contains("Operation now in progress"), "\(asked)")
                try await shown.says("eviction")
                #expect(try await test.a.attribute("status", of: "f") == "current")
            }
            try await test.a.presenting("f yields", name: "yielding") { shown in
                _ = try await test.a.setAttribute("evict", to: "1", of: "f")
                try await shown.says("eviction")
                try await eventually("its bytes are dropped") {
                    try await test.a.attribute("status", of: "f") == "notDownloaded"
                }
            }
        }
    }
}
