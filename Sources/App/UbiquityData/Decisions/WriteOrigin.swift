import Basics
import CloudModel
public import Foundation
import Records

/// Which device wrote something, and when.
public struct WriteOrigin: Hashable, Sendable {
    /// The name that the device had last (`deviceName`).
    public let deviceName: String
    public let isThisDevice: Bool
    /// When the device's own clock says that it was committed. Clocks differ; nothing is decided by them.
    public let time: Date
}

/// Finds out who wrote what.
struct WriteOrigins {
    private let names: [DeviceID: String]
    private let device: DeviceID

    /// - Parameter name: The name of this device, which the log need not have yet.
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
            // Each device that the log knows has a name.
            deviceName: names[stamp.device] ?? stamp.device.description, isThisDevice: stamp.device == device,
            time: Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9))
    }
}
