import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Sync
import TestSupport
import Testing

/// Entries under a device's own id, from its current state and from elsewhere: the state is old, or a copy.
@Suite("Batches that a state has made")
struct MadeBatchTests {
    private let device: KernellessDevice

    init() throws { device = try KernellessDevice() }

    /// Returns an entry of this device, as a copy of its state would create it.
    private func foreign(_ changes: Change...) throws -> [UInt8] {
        try device.batch(of: changes, by: device.context.device).encoded()
    }

    @Test("the batch that the outbox made is this device's own, and its id stays")
    func own() throws {
        let id = device.context.device
        _ = try device.makeFolder("mine")
        let batch = try #require(try device.nextBatch())
        #expect(batch.base == (try device.container.position))
        try device.fold(payload: try batch.encoded())
        #expect(device.context.device == id)
        #expect(try device.nextBatch() == nil)
    }

    @Test("an entry under this device's id that the state has not made gives the device a new id, durably")
    func unknown() throws {
        let id = device.context.device
        try device.fold(payload: try foreign(.folder(3, "theirs")))
        let renewed = device.context.device
        #expect(renewed != id && renewed.value % 2 == 1)
        #expect(try device.metadata.read { try $0.device() } == renewed)
        #expect(try device.metadata.read { try $0.deviceRenewal() } != nil)
        #expect(try device.row("theirs") != nil, "it is followed like another device's")
    }

    @Test("a batch on its way under the number of an unknown entry is withdrawn, and sent again under the new id")
    func waiting() throws {
        let id = device.context.device
        let payload = try foreign(.folder(3, "theirs"))
        _ = try device.makeFolder("mine")
        let waiting = try #require(try device.nextBatch())
        #expect(waiting.device == id && waiting.deviceSequence == 1)
        try device.fold(payload: payload)
        // The batch in flight arrives after all: its number is used, so it has no effect.
        try device.fold(payload: try waiting.encoded())
        let again = try #require(try device.nextBatch())
        #expect(again.device == device.context.device && again.device != id && again.changes == waiting.changes)
        try device.fold(payload: try again.encoded())
        #expect(try device.nextBatch() == nil)
        #expect(try device.row("mine") != nil && device.row("theirs") != nil)
    }

    @Test("an entry of this device that the log shows twice is no proof of a copy")
    func twice() throws {
        let id = device.context.device
        _ = try device.makeFolder("mine")
        let payload = try #require(try device.nextBatch()).encoded()
        for _ in 0..<3 { try device.fold(payload: payload) }
        #expect(device.context.device == id)
    }

    @Test("a text that only the restored state lacks is not replaced by its older text")
    func older() throws {
        try device.save("doc", "v1")
        try device.settle()
        let id = try #require(try device.row("doc")).item
        try device.fold(payload: try foreign(.edit(id, from: "v1", to: "v2, longer")))
        #expect(try device.nextBatch() == nil, "nothing is sent in response")
        let newest = try device.metadata.read { try $0.remote(in: try device.container.id).item(id)?.body.content }
        #expect(newest == .stored(.of("v2, longer")))
    }
}
