/// A way by which the processes of a cluster send each other text. What is sent may be lost.
protocol NotificationChannel: Sendable {
    /// Sends each payload to all processes, this one included.
    func send(_ payloads: [String]) async throws

    /// Receives payloads until the connection fails or the task is cancelled.
    ///
    /// - Parameter onConnect: Called once nothing that is sent from then on is missed.
    func receive(
        onConnect: @Sendable () -> Void, _ body: @Sendable (String) -> Void
    ) async throws

    func close() async
}
