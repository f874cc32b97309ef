/// What a device may do in its account.
package enum DeviceScope: String, Hashable, Sendable, CaseIterable {
    case full
    /// Permits nothing that changes a log, adds chunks or publishes.
    case read

    /// A newer version's scope is read as the most restricted scope.
    init(stored text: String) { self = DeviceScope(rawValue: text) ?? .read }
}

/// The access that a sign-in code gives to its device.
package struct DeviceGrant: Hashable, Sendable {
    package let scope: DeviceScope
    /// When the device's access ends, in seconds since 1970 UTC; nil: when it is revoked.
    package let expires: Int64?

    package init(scope: DeviceScope = .full, expires: Int64? = nil) {
        self.scope = scope
        self.expires = expires
    }

    package static let full = DeviceGrant()

    /// Parses a period as people write it: `12h`, `30d`, `4w`. Ten years at most.
    ///
    /// - Returns: Seconds; nil for anything else.
    package static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0 else {
            return nil
        }
        let (seconds, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows || seconds > 3_660 * 86_400 ? nil : seconds
    }
}
