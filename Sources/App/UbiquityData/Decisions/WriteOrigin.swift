import Basics
import CloudModel
public import Foundation
import Records

/// The device and time of a write.
public struct WriteOrigin: Hashable, Sendable {
    /// The device's last known name (`deviceName`).
    public let deviceName: String
    public let isThisDevice: Bool
    /// Commit time by the device's own clock. Clocks differ; nothing is decided by them.
    public let time: Date
}

/// Finds the origin of writes.
struct WriteOrigins {
    private let names: [DeviceID: String]
    private let device: DeviceID

    /// - Parameter name: This device's name, possibly not yet in the log.
    init(_ statements: StatementCache, device: DeviceID, name: String) throws {
        let known = try statements.all("SELECT device, name FROM _ubq_device") { row in
            (DeviceID(UInt64(bitPattern: row.integer(0))), String(decoding: row[1].bytes, as: UTF8.self))
        }
        names = Dictionary(known + [(device, name)]) { $1 }
        self.device = device
    }

    func origin(of stamp: RecordStamp) -> WriteOrigin {
        let (seconds, nanoseconds) = stamp.time.split
        return WriteOrigin(
            // Each device known to the log has a name.
            deviceName: names[stamp.device] ?? stamp.device.description, isThisDevice: stamp.device == device,
            time: Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9))
    }
}
