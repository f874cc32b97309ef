/// A cloud whose owner can request that a device resyncs from scratch.
package protocol RemoteResettable: CloudBackend {
    /// Whether a reset is requested, as of the last response of the cloud.
    var isResetAsked: Bool { get }
    /// Acknowledges the request: the reset has begun, and the cloud stops requesting it.
    func confirmReset() async throws
}
