import CloudModel
import CloudStorage
import ContainerLog
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("A log of extreme values", .timeLimit(.minutes(10)))
struct ExtremeLogTests {
    @Test(
        "the log is folded by devices and shown on every page of the console; collection, statistics and ordinary documents keep working"
    )
    func shown() async throws {
        try await withServer { server in
            let device = try await server.device()
            let session = try await server.session()
            let content = try await device.upload(Array("some bytes".utf8))
            for batch in try ExtremeBatches.all(naming: content, withRefused: false) {
                _ = try await device.backend.append(batch.encoded(), to: .cloudDocs)
            }
            let honest = try await device.write("honest.txt", "as before")
            var pages = ["", "conflicts", "storage", "transfers", "devices", "links"]
            pages = pages.map {
                $0.isEmpty || ["transfers", "devices", "links"].contains($0) ? $0 : "c/CloudDocs/\($0)"
            }
            pages += ["c/CloudDocs"]
            var folders = [ItemID.root, .documents]
            while let folder = folders.popLast() {
                for id in try await device.children(of: folder) {
                    pages.append("c/CloudDocs/i/\(id)")
                    if try await device.item(id)?.body == .folder { folders.append(id) }
                }
            }
            #expect(pages.count > 30)
            for page in pages { #expect(try await server.page(page, session).status == 200, "\(page)") }
            _ = try await server.store.collect(.standard, pause: .zero)
            _ = try await server.store.statistics()
            let reference = try #require(try await device.item(honest)?.body.content?.reference)
            #expect(try await device.bytes(of: reference) == Array("as before".utf8))
        }
    }
}
