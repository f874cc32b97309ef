import Basics
import CloudModel
import CloudProtocol
import CloudStorage
import ContainerLog
import DeviceSupport
import DirectoryCloud
import Foundation
import LocalMetadata
import ServerSupport
import SystemPackage
import TestSupport
import Testing

@testable import Sync

/// Several devices with copies of the same state, on real clouds: each becomes a separate device, and nothing is lost.
@Suite("Copies of one state", .timeLimit(.minutes(10)))
struct CopiedStateTests {
    enum Cloud: CaseIterable { case directory, server }

    /// Runs `body` with a device that has a document, `doc`, and with a closure that connects a copy to its cloud.
    private func with(
        _ cloud: Cloud,
        _ body:
            @escaping @Sendable (KernellessDevice, @escaping @Sendable () async throws -> any CloudBackend)
            async throws -> Void
    ) async throws {
        let run = { @Sendable (connect: @escaping @Sendable () async throws -> any CloudBackend) in
            let device = try KernellessDevice(cloud: try await connect())
            try device.save("doc", "v1")
            try await sync(device)
            try await body(device, connect)
        }
        switch cloud {
        case .directory:
            let path = "\(NSTemporaryDirectory())/copied-state-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try await run {
                let backend = DirectoryBackend(path: FilePath(path), logger: quiet)
                _ = try await backend.connect(create: true)
                try await backend.createContainer(.cloudDocs)
                return backend
            }
        case .server:
            try await withServer { server in
                // Copies share a token.
                let token = try await server.signIn("laptop").token
                try await run { try await server.connect(token) }
            }
        }
    }

    private func copy(
        _ device: KernellessDevice, _ connect: () async throws -> any CloudBackend
    ) async throws -> KernellessDevice {
        try KernellessDevice(
            cloud: try await connect(), id: device.context.device, copying: device.directory)
    }

    private func sync(_ devices: KernellessDevice...) async throws { try await sync(devices) }

    private func sync(_ devices: [KernellessDevice]) async throws {
        for device in devices {
            for _ in 0..<3 {
                _ = try await device.engine.uploads.uploadDue(.small)
                _ = try await device.engine.syncLogs()
                try device.finishDownloads()
            }
        }
    }

    private func entryCount(_ device: KernellessDevice) async throws -> Int {
        try await device.context.backend.entries(in: .cloudDocs, after: .start, limit: 1_000).count
    }

    /// Expects that all devices have the same documents with the same texts, and no pending changes.
    private func expectEqual(_ devices: [KernellessDevice], _ names: [String]) async throws {
        let length = try await entryCount(devices[0])
        try await sync(devices)
        try await sync(devices)
        #expect(try await entryCount(devices[0]) == length, "no entry is written in response to another's")
        let folder = devices[0].documents
        let first = try devices[0].contents()
        #expect(first.keys.sorted() == names)
        for device in devices {
            #expect(device.documents == folder)
            #expect(try device.contents() == first)
            #expect(try device.unrest == [])
        }
        #expect(Set(devices.map(\.context.device)).count == devices.count, "each has an id of its own")
    }

    @Test("three copies of one state become three devices, whichever comes first", arguments: Cloud.allCases)
    func three(_ cloud: Cloud) async throws {
        for first in 0..<3 {
            try await with(cloud) { device, connect in
                let copies = [device, try await copy(device, connect), try await copy(device, connect)]
                let before = try await entryCount(device)
                for (index, copy) in copies.enumerated() { try copy.save("by\(index)", "text of \(index)") }
                let order = copies[first...] + copies[..<first]
                for round in 0..<3 {
                    for (index, copy) in copies.enumerated() {
                        try copy.save("by\(index) \(round)", "\(index)\(round)")
                    }
                    try await sync(Array(round.isMultiple(of: 2) ? order : ArraySlice(order.reversed())))
                }
                try await expectEqual(
                    copies,
                    (["doc"]
                        + (0..<3).flatMap { index in
                            ["by\(index)"] + (0..<3).map { "by\(index) \($0)" }
                        }).sorted())
                // One for each save that waited alone, and one for each with a used number.
                let written = try await entryCount(device) - before
                #expect(written <= 3 * 4 + 2 * 3, "\(written) entries")
            }
        }
    }

    @Test("copies that edit one document keep each text", arguments: Cloud.allCases)
    func crossing(_ cloud: Cloud) async throws {
        try await with(cloud) { device, connect in
            let copies = [device, try await copy(device, connect), try await copy(device, connect)]
            for (index, copy) in copies.enumerated() { try copy.edit("doc", "v2 by \(index)") }
            try await sync(copies)
            try await sync(copies)
            let texts = try copies[0].contents().values.flatMap(\.self)
            for index in 0..<3 { #expect(texts.contains(.of("v2 by \(index)"))) }
            for (index, copy) in copies.enumerated() {
                try copy.save("last by \(index)", "x")
                try await sync(copies)
            }
            try await sync(copies)
            let names = try copies[0].contents().keys.sorted()
            #expect((0..<3).allSatisfy { names.contains("last by \($0)") })
            try await expectEqual(copies, names)
        }
    }

    @Test(
        "a state that is copied while a batch is on its way sends it once for all, also where the log has it already",
        arguments: Cloud.allCases, [false, true])
    func batch(_ cloud: Cloud, isInLog: Bool) async throws {
        try await with(cloud) { device, connect in
            try device.save("on its way", "one")
            _ = try await device.engine.uploads.uploadDue(.small)
            let container = try device.container
            let batch = try #require(try Outbox(device.context).next(in: container))
            if isInLog {
                _ = try await device.context.backend.append(
                    batch.payload, to: .cloudDocs, after: container.position)
            }
            let copies = [device, try await copy(device, connect), try await copy(device, connect)]
            let before = try await entryCount(device)
            try await sync(copies)
            // Equal bytes are equal entries: a repeat has no effect, and is no proof of a copy.
            #expect(try await entryCount(device) - before <= 3)
            for copy in copies { #expect(try copy.contents().keys.sorted() == ["doc", "on its way"]) }
            for (index, copy) in copies.enumerated() { try copy.save("by\(index)", "text of \(index)") }
            try await sync(copies)
            try await sync(copies)
            try await expectEqual(copies, ["by0", "by1", "by2", "doc", "on its way"])
            #expect(try await entryCount(device) - before <= 3 + 3 + 2 + 1)
        }
    }

    @Test("a copy whose batch on its way was followed by other work loses neither", arguments: Cloud.allCases)
    func overtaken(_ cloud: Cloud) async throws {
        try await with(cloud) { device, connect in
            try device.save("on its way", "one")
            _ = try await device.engine.uploads.uploadDue(.small)
            _ = try #require(try Outbox(device.context).next(in: device.container))
            let late = try await copy(device, connect)
            try await sync(device)
            for number in 0..<3 {
                try device.save("later \(number)", "\(number)")
                try await sync(device)
            }
            try device.edit("on its way", "two")
            try await sync(device)
            try late.save("by the copy", "x")
            try await sync(late, device)
            try device.save("last", "y")
            try await sync(device, late)
            try await expectEqual(
                [device, late], ["by the copy", "doc", "last", "later 0", "later 1", "later 2", "on its way"])
            #expect(try device.contents()["on its way"] == [.of("two")])
        }
    }
}

extension KernellessDevice {
    /// The contents of the documents by name, those of conflicts too, as the log has them.
    fileprivate func contents() throws -> [String: Set<ContentReference>] {
        try rows.reduce(into: [:]) { contents, row in
            guard let remote = try remote(row.item), remote.body.content != nil else { return }
            contents["\(row.name)", default: []].formUnion(remote.neededContents)
        }
    }
}
