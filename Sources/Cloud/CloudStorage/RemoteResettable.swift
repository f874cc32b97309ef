/// A cloud whose owner may request that a device resets its state.
package protocol RemoteResettable: CloudBackend {
    /// Whether that was requested, as of the last response.
    var isResetAsked: Bool { get }
    /// Says that it is being done; from then on it is asked no more.
    func confirmReset() async throws
}
