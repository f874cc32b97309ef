package import CloudStorage
package import Testing

/// Expects the body to throw a ``CloudError`` with this code and a nonempty message.
package func expectCloudError(
    _ code: CloudError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("expected the error \(code), got none", sourceLocation: sourceLocation)
    } catch let error as CloudError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, "expected the error \(code)", sourceLocation: sourceLocation)
    }
}
