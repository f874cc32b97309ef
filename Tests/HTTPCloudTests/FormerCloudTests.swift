import CloudModel
import CloudProtocol
import CloudStorage
import HTTPCloud
import ServerStorage
import ServerSupport
import Testing

@Suite("A server's cloud into which another was copied", .timeLimit(.minutes(10)))
struct FormerCloudTests {
    @Test("A device of the copied cloud may continue as far as the logs were copied, and no further")
    func record() async throws {
        try await withServer { server in
            let device = try await server.device()
            for byte in 1...3 { _ = try await device.append([UInt8(byte)], to: .cloudDocs) }
            try await device.record(former: "elsewhere", ends: [.cloudDocs: LogSequence(2)])
            let identity = try await device.connect(create: false)
            #expect(identity.continues("elsewhere", readTo: [.cloudDocs: LogSequence(2)]))
            #expect(!identity.continues("elsewhere", readTo: [.cloudDocs: LogSequence(3)]))
            // More than the log has, and containers that the account does not have, are not recorded.
            let absent = try #require(ContainerName("com.example.absent"))
            try await device.record(former: "elsewhere", ends: [.cloudDocs: LogSequence(.max), absent: LogSequence(1)])
            let later = try await device.connect(create: false)
            #expect(later.former["elsewhere"] == [.cloudDocs: LogSequence(3)])
        }
    }

    @Test(
        "Anything that is not the identity of another cloud is refused",
        arguments: ["", "two words", "line\n", String(repeating: "x", count: 257), "ä"])
    func invalid(identity: String) async throws {
        try await withServer { server in
            let device = try await server.device()
            await #expect(throws: CloudError.self) { try await device.record(former: identity, ends: [:]) }
            let found = try await device.connect(create: false)
            #expect(found.former.isEmpty)
            await #expect(throws: CloudError.self) { try await device.record(former: found.text, ends: [:]) }
        }
    }

    @Test("Sixty-four clouds can be copied into one, and each of them again")
    func many() async throws {
        try await withServer { server in
            let device = try await server.device()
            for number in 0..<64 { try await device.record(former: "cloud-\(number)", ends: [:]) }
            await #expect(throws: CloudError.self) { try await device.record(former: "one-more", ends: [:]) }
            try await device.record(former: "cloud-7", ends: [.cloudDocs: .zero])
        }
    }

    @Test("A device that may only read cannot record one")
    func readOnly() async throws {
        try await withServer { server in
            _ = try await server.device()
            let code = try await server.store.accounts.addCode(for: "anna", grant: DeviceGrant(scope: .read))
            let reader = server.backend(try await server.store.devices.signIn(code: code, device: "reader").token)
            _ = try await reader.connect(create: false)
            await #expect(throws: CloudError.self) { try await reader.record(former: "elsewhere", ends: [:]) }
        }
    }
}
