import TestSupport
import Testing

extension EndToEnd {
    @Suite("Scale")
    struct ScaleTests {
        @Test("a folder of 5,000 entries is made, listed, travels and goes")
        func bigFolder() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    "mkdir d; cd d; seq -f 'file %.0f' 1 5000 | xargs -d '\\n' touch", limit: .seconds(300))
                #expect(try await a.shell("ls -f d | wc -l") == "5002")
                try await a.sync(limit: .seconds(300))
                try await eventually("B lists all", within: .seconds(300)) { try await b.list("d").count == 5000 }
                #expect(
                    try await b.shell("find d -type f | sort | md5sum") == a.shell("find d -type f | sort | md5sum"))
                try await b.shell("rm -r d", limit: .seconds(300))
                try await b.sync(limit: .seconds(300))
                try await eventually("A has none", within: .seconds(300)) { try await a.list().isEmpty }
            }
        }
    }
}
