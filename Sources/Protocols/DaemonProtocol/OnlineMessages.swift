/// Takes the device off its cloud, or back. The mount works either way; while the device is offline nothing is
/// uploaded, downloaded or requested. The setting survives a restart of the daemon.
package struct SetOnlineRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "setOnline"

    package let isOnline: Bool
    package init(isOnline: Bool) { self.isOnline = isOnline }
}
