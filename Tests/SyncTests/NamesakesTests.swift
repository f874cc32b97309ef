import Basics
import CloudModel
import ContainerLog
import Testing

@testable import Sync

@Suite("Two devices of one name")
struct NamesakesTests {
    private let namesakes = Namesakes(since: Timestamp(seconds: 100))

    private func look(_ device: UInt64, _ name: String, at seconds: Int64 = 101) {
        let batch = ChangeBatch(
            device: DeviceID(device), deviceName: name, deviceSequence: 1, time: Timestamp(seconds: seconds),
            changes: [])
        namesakes.look(at: batch, device: DeviceID(1), name: "laptop")
    }

    @Test("another device of this name is found once it writes, and no longer after it was renamed")
    func renamed() {
        look(2, "laptop")
        #expect(namesakes.areFound)
        look(3, "desktop")
        #expect(namesakes.areFound)
        look(2, "notebook")
        #expect(!namesakes.areFound)
    }

    @Test("entries of this device, and those from before a reset, do not count")
    func own() {
        look(1, "laptop")
        look(2, "laptop", at: 100)
        #expect(!namesakes.areFound)
    }
}
