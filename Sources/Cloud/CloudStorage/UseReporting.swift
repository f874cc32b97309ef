package import CloudModel

/// A cloud that knows what uses its space.
package protocol UseReporting: CloudBackend {
    func use() async throws -> CloudUseReport
}
