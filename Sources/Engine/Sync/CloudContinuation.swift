import CloudModel
package import CloudStorage
package import LocalMetadata

/// Decides whether a device may follow a cloud with an identity different from its own cloud's: a copy that has
/// everything the device has read.
package struct CloudContinuation {
    private let read: [LocalContainer]
    private let backend: any CloudBackend

    /// - Parameters:
    ///   - containers: This device's containers.
    ///   - backend: The candidate cloud, connected.
    package init(containers: [LocalContainer], backend: any CloudBackend) {
        read = containers.filter { $0.sequence > .zero }
        self.backend = backend
    }

    /// Throws `foreign` if the cloud lacks any position of this device, or if the device has none.
    package func require() async throws {
        let refusal = "This is not the cloud that this device has synced with."
        let advice = "Put the right one back, or use another --state."
        guard !read.isEmpty else { throw CloudError(.foreign, "\(refusal) \(advice)") }
        for container in read {
            do {
                // Only a question: a different cloud without the position has not rolled back.
                _ = try await backend.entries(in: container.name, after: container.position, limit: 0)
            } catch let error as CloudError where [.diverged, .notFound].contains(error.code) {
                throw CloudError(
                    .foreign,
                    "\(refusal) Or it is a copy of an earlier state: after `ubiquity cloud copy`, run that again. \(advice)",
                    cause: error)
            }
        }
    }
}
