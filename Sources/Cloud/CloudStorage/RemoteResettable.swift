/// A cloud whose owner may ask a device to make its state anew.
package protocol RemoteResettable: CloudBackend {
    /// Whether that was asked, as far as the last answer told.
    var isResetAsked: Bool { get }
    /// Says that it is being done; from then on it is asked no more.
    func confirmReset() async throws
}
