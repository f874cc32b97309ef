/// A cloud whose owner can request a device's resync from scratch.
package protocol RemoteResettable: CloudBackend {
    /// Whether a reset is requested, as of the cloud's last response.
    var isResetAsked: Bool { get }
    /// Acknowledges the request: the reset has begun, and the cloud stops requesting it.
    func confirmReset() async throws
}
