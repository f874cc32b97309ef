import Foundation
import TestSupport
import Testing

/// What the daemon itself asks of those who show a document.
extension EndToEnd.PresenterTests {
    @Test("who shows a document saves before it is uploaded, and hears what becomes of it in the cloud")
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

    @Test("a presenter that never answers holds up an upload once, for a while")
    func deafUpload() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            try await test.a.presenting("f deaf") { shown in
                try await test.a.shell("echo y > f")
                try await shown.says("reader")
                try await test.a.sync()
                try await test.a.shell("echo z > f")
                try await test.a.sync()
                #expect(shown.said.count { $0 == "reader" } == 1)
            }
        }
    }

    @Test("the bytes of a document that a program shows are dropped only if it lets them go")
    func eviction() async throws {
        try await TestDevices.with(devices: ["A"]) { test in
            try await test.a.shell("echo x > f")
            try await test.a.sync()
            let evict = ["evict", "\(test.a.documents)/f"]
            try await test.a.presenting("f") { shown in
                let refused = try await test.a.ubiquity(evict)
                #expect(!refused.succeeded && refused.errors.contains("not ready"), "\(refused)")
                #expect(shown.news == ["presenting", "eviction"])
            }
            var freed: ProgramOutcome?
            try await test.a.presenting("f yields", name: "yielding") { _ in freed = try await test.a.ubiquity(evict)
            }
            #expect(freed?.succeeded == true)
            #expect(try await test.a.shell(test.a.note("f state")) == "in the cloud, uploaded")
        }
    }

    @Test("dropping bytes by the extended attribute asks who shows the document, without holding up the caller")
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
