import Basics
import CloudModel
import CloudProtocol
import ServerSupport
import TestSupport
import Testing

@testable import ServerStorage

@Suite("States that use the token of one device", .eachEngine)
struct SenderTests {
    private func device(_ store: ServerStore) async throws -> SignedInDevice {
        let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
        let token = try #require(DeviceToken(answer.token))
        return try #require(try await store.devices.device(with: token))
    }

    private func sender(_ id: UInt64, _ name: String = "laptop") -> RequestSender {
        RequestSender(id: DeviceID(id), name: name)
    }

    private func record(_ store: ServerStore, _ device: SignedInDevice) async throws -> DeviceRecord {
        await store.senders.settle()
        return try #require(try await store.devices.list(of: "anna").first { $0.id == device.device })
    }

    @Test("two copies of one state differ in id, name and address, and belong to one device")
    func copies() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            _ = try await store.newAccount("anna")
            let device = try await device(store)
            for _ in 0..<5 {
                store.senders.note(sender(.max, "laptop"), of: device, from: "10.0.0.1")
                store.senders.note(sender(3, "copy of laptop"), of: device, from: "10.0.0.2")
                time.advance(by: .seconds(61))
            }
            let found = DeviceSender.sharing(try await record(store, device).senders)
            #expect(Set(found.map(\.id)) == [DeviceID(.max), DeviceID(3)])
            #expect(Set(found.map(\.name)) == ["laptop", "copy of laptop"])
            #expect(Set(found.map(\.address)) == ["10.0.0.1", "10.0.0.2"])
            let page = try await store.devices.page(of: device.account, from: 0, limit: 10).devices
            #expect(page.filter { !$0.senders.isEmpty }.map(\.id) == [device.device])
            // After a new sign-in by one of them.
            time.advance(by: .seconds(86_400))
            store.senders.note(sender(3), of: device, from: "10.0.0.2")
            #expect(try await DeviceSender.sharing(record(store, device).senders).isEmpty)
        }
    }

    @Test("a device that took a new id is one state")
    func renewed() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            _ = try await store.newAccount("anna")
            let device = try await device(store)
            for id in [1, 1, 1, 5, 5, 5, 9] as [UInt64] {
                store.senders.note(sender(id), of: device, from: "10.0.0.1")
                time.advance(by: .seconds(61))
            }
            let record = try await record(store, device)
            #expect(record.senders.count == 3)
            #expect(DeviceSender.sharing(record.senders).isEmpty)
            // Its current state has the name of a mount, shown below a device with a different name.
            let name = try #require(record.senders.max { $0.last < $1.last }).name
            #expect(DeviceSender.shown(record.senders, below: name).isEmpty)
            #expect(DeviceSender.shown(record.senders, below: "Annas Notebook").map(\.id) == [DeviceID(9)])
        }
    }

    @Test("a client that invents ids has eight, and each costs one write a minute")
    func invented() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            _ = try await store.newAccount("anna")
            let device = try await device(store)
            for minute in 0..<4 {
                for id in 0..<100 as Range<UInt64> {
                    store.senders.note(sender(id + UInt64(minute) * 1_000), of: device, from: "10.0.0.1")
                }
                let record = try await record(store, device)
                #expect(record.senders.count == SenderStore.maximum)
                #expect(record.senders.allSatisfy { $0.id.value / 1_000 == UInt64(minute) })
                time.advance(by: .seconds(61))
            }
        }
    }

    @Test("a reset that is requested of a device reaches each of its states once, whichever begins first")
    func resets() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            _ = try await store.newAccount("anna")
            let answer = try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "laptop")
            let token = try #require(DeviceToken(answer.token))
            func state(_ id: UInt64) async throws -> SignedInDevice {
                let device = try #require(try await store.devices.device(with: token, sender: DeviceID(id)))
                store.senders.note(sender(id), of: device, from: "10.0.0.1")
                await store.senders.settle()
                return device
            }
            for id in [1, 3] as [UInt64] { #expect(try await !state(id).isResetAsked) }
            #expect(try await store.devices.askReset(of: token.device))
            let first = try await state(1)
            #expect(first.isResetAsked)
            try await store.devices.confirmReset(of: first)
            #expect(try await !state(1).isResetAsked)
            // A state created meanwhile, or by the reset, has nothing to reset.
            #expect(try await !state(5).isResetAsked)
            #expect(try await record(store, first).isResetAsked)
            let second = try await state(3)
            #expect(second.isResetAsked)
            try await store.devices.confirmReset(of: second)
            for id in [1, 3, 5] as [UInt64] { #expect(try await !state(id).isResetAsked) }
            #expect(try await !record(store, first).isResetAsked)
        }
    }

    @Test("a state that is no longer in use does not keep a requested reset open")
    func unused() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            _ = try await store.newAccount("anna")
            let device = try await device(store)
            store.senders.note(sender(1), of: device, from: "10.0.0.1")
            time.advance(by: .seconds(3 * 86_400))
            store.senders.note(sender(3), of: device, from: "10.0.0.1")
            await store.senders.settle()
            #expect(try await store.devices.askReset(of: device.device, account: device.account))
            #expect(try await record(store, device).isResetAsked)
            try await store.devices.confirmReset(
                of: SignedInDevice(
                    account: device.account, device: device.device, cloud: nil, sender: DeviceID(3), isResetAsked: true,
                    scope: .full))
            #expect(try await !record(store, device).isResetAsked)
        }
    }

    @Test("names and addresses are cut, and go with their device")
    func removed() async throws {
        try await withStore { store in
            _ = try await store.newAccount("anna")
            let device = try await device(store)
            store.senders.note(
                sender(1, String(repeating: "x\u{1B}", count: 100)), of: device,
                from: String(repeating: "1", count: 100))
            let found = try #require(try await record(store, device).senders.first)
            #expect(found.name == String(repeating: "x", count: 64) && found.address.count == 64)
            try await store.removeAccount("anna")
            #expect(try await store.devices.list().isEmpty)
        }
    }
}
