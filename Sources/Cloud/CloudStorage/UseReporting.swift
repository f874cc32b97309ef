package import CloudModel

/// A cloud with a breakdown of its used space.
package protocol UseReporting: CloudBackend {
    func use() async throws -> CloudUseReport
}
