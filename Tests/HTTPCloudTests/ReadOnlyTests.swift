import Basics
import CloudModel
import CloudProtocol
import CloudStorage
import Foundation
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Devices with read-only access", .timeLimit(.minutes(10)))
struct ReadOnlyTests {
    private func expectReadOnly(_ what: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("\(what) was accepted")
        } catch let error as CloudError {
            #expect(error.code == .readOnly && error.message.contains("read-only"), "\(what): \(error)")
        } catch { Issue.record(error) }
    }

    private func reader(_ server: TestServer) async throws -> HTTPBackend {
        let code = try await server.store.accounts.addCode(for: "anna", grant: DeviceGrant(scope: .read))
        return server.backend(try await server.store.devices.signIn(code: code, device: "reader").token)
    }

    @Test("a read-only device can read everything, and every request that changes something is refused")
    func readOnly() async throws {
        try await withServer { server in
            let writer = try await server.device()
            let frame: [UInt8] = [1, 2, 3]
            let id = ChunkID(words: (1, 2, 3, 4))
            try await writer.putChunk(id, frame: frame, in: .cloudDocs)
            _ = try await writer.append([1], to: .cloudDocs)
            let reader = try await reader(server)
            let identity = try await reader.connect(create: true)
            let expected = try await writer.connect(create: false)
            #expect(identity.text == expected.text)
            try await reader.createContainer(.cloudDocs)
            let entries = try await reader.entries(in: .cloudDocs, after: LogSequence(0), limit: 9)
            #expect(entries.map(\.payload) == [[1]])
            let chunk = try await reader.getChunk(id, in: .cloudDocs)
            #expect(chunk == frame)
            let missing = try await reader.missing([id], in: .cloudDocs)
            #expect(missing.isEmpty)
            await expectReadOnly("append") { _ = try await reader.append([2], to: .cloudDocs) }
            await expectReadOnly("put") {
                try await reader.putChunk(ChunkID(words: (2, 2, 3, 4)), frame: frame, in: .cloudDocs)
            }
            await expectReadOnly("put many") {
                try await reader.putChunks(
                    [OutgoingChunk(id: ChunkID(words: (2, 2, 3, 4)), frame: frame)], in: .cloudDocs)
            }
            await expectReadOnly("distrust") { try await reader.distrust([id], in: .cloudDocs) }
            let name = try #require(ContainerName("notes"))
            await expectReadOnly("a new container") { try await reader.createContainer(name) }
            let list = try await writer.containers()
            #expect(list == [.cloudDocs])
        }
    }

    @Test("every route that is not known to be read-only requires full access")
    func routes() async throws {
        try await withServer { server in
            _ = try await server.device()
            let code = try await server.store.accounts.addCode(for: "anna", grant: DeviceGrant(scope: .read))
            let token = try await server.store.devices.signIn(code: code, device: "reader").token
            for (method, path) in [
                ("POST", "/v1/containers/CloudDocs/log"), ("POST", "/v1/containers/CloudDocs/chunks"),
                ("PUT", "/v1/containers/CloudDocs/chunks/x"), ("POST", "/v1/containers/CloudDocs/links"),
                ("DELETE", "/v1/links/1"), ("POST", "/v1/containers/CloudDocs/distrust"),
            ] {
                let head = [
                    "\(method) \(path) HTTP/1.1", "Host: x", "Connection: close", "Authorization: Bearer \(token)",
                    "\(CloudProtocolVersion.header): 1", "Content-Length: 0",
                ]
                let answer = try await talk(server, Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8))
                #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 403 "), "\(method) \(path)")
            }
        }
    }

    @Test("a device whose access has expired is refused as not signed in, with the reason and what to do")
    func expired() async throws {
        try await withServer { server in
            _ = try await server.device()
            let code = try await server.store.accounts.addCode(for: "anna", grant: DeviceGrant(expires: 1))
            let backend = server.backend(try await server.store.devices.signIn(code: code, device: "guest").token)
            do {
                _ = try await backend.connect(create: false)
                Issue.record("an expired token was accepted")
            } catch let error as CloudError {
                #expect(error.code == .unauthorized)
                #expect(error.message.contains("limited in time") && error.message.contains("ubiquity login"))
            }
        }
    }
}
