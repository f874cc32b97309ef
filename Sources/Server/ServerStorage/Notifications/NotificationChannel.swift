/// A channel for text messages between the processes of a cluster. Messages may be lost.
protocol NotificationChannel: Sendable {
    /// Sends each payload to all processes, this one included.
    func send(_ payloads: [String]) async throws

    /// Receives payloads until the connection fails or the task is cancelled.
    ///
    /// - Parameter onConnect: Called when nothing sent from then on is missed.
    func receive(
        onConnect: @Sendable () -> Void, _ body: @Sendable (String) -> Void
    ) async throws

    func close() async
}
