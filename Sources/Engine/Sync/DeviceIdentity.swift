package import Basics
package import CloudModel
package import LocalMetadata
import Synchronization

import struct Foundation.Data

/// This device's id in logs. It changes when the log shows that the state was restored from a backup or copied: two
/// states must not write under the same id.
package final class DeviceIdentity: Sendable {
    private let value: Mutex<DeviceID>

    package init(_ id: DeviceID) { value = Mutex(id) }

    package var current: DeviceID { value.withLock { $0 } }

    /// Uses an id stored by ``MetadataTransaction/renewDevice(_:at:)``, after its commit.
    func change(to id: DeviceID) { value.withLock { $0 = id } }

    /// The setting with the device's id.
    package static let key = "device"
    /// The setting with the time when the state last turned out to be restored or copied, in seconds since 1970 UTC.
    package static let renewedKey = "deviceRenewed"
}

extension MetadataTransaction {
    /// Returns the stored id of this device; nil before the first start.
    package func device() throws -> DeviceID? {
        guard let stored = try setting(DeviceIdentity.key), let text = String(data: stored, encoding: .utf8) else {
            return nil
        }
        return UInt64(text, radix: 16).map(DeviceID.init)
    }

    package func setDevice(_ id: DeviceID) throws { try setSetting(DeviceIdentity.key, Data(id.description.utf8)) }

    /// Gives this device a new id, because a copy of its state has written under the current one.
    func renewDevice(_ id: DeviceID, at now: Timestamp) throws {
        try setDevice(id)
        try setSetting(DeviceIdentity.renewedKey, Data("\(now.split.seconds)".utf8))
    }

    /// When the state last turned out to be restored or copied; nil if it never did.
    package func deviceRenewal() throws -> Timestamp? {
        guard let stored = try setting(DeviceIdentity.renewedKey), let text = String(data: stored, encoding: .utf8),
            let seconds = Int64(text)
        else { return nil }
        return Timestamp(nanoseconds: seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue)
    }
}
