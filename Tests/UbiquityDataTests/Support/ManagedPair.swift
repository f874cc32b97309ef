@testable import UbiquityData

/// Two devices with a shared container. Their users have agreed to use the cloud.
struct ManagedPair {
    let data: DataFolder
    let one: ManagedDevice
    let two: ManagedDevice

    init() throws {
        data = try DataFolder()
        let container = TestContainer()
        one = try ManagedDevice("one", container, in: data, schema: .notes("one"))
        two = try ManagedDevice("two", container, in: data, schema: .notes("two"))
        for device in [one, two] {
            try device.manager.refresh()
            try device.manager.answer(.use)
            _ = device.recorder.take(device)
        }
    }

    /// Lets each device read and write the log often enough that both know everything.
    func meet(_ rounds: Int = 3) throws {
        for _ in 0..<rounds { for device in [one, two] { try device.follow() } }
    }
}
