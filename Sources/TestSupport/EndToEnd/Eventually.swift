/// Polls `condition` until it holds, at most for `limit`: real processes send no notification when they have converged.
///
/// - Throws: ``EndToEndError`` after `limit`, with the text of `describe` or the last error of `condition`.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool,
    describe: () async throws -> String = { "" }
) async throws {
    let deadline = ContinuousClock.now + limit
    var lastError: (any Error)?
    while ContinuousClock.now < deadline {
        do {
            if try await condition() { return }
            lastError = nil
        } catch {
            lastError = error
        }
        try await Task.sleep(for: .milliseconds(100))
    }
    let detail = if let lastError { "\(lastError)" } else { try await describe() }
    throw EndToEndError("not within \(limit): \(what). \(detail)")
}
