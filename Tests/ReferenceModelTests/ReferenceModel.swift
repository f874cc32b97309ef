import Testing

/// Compares the mount with the disk beside it. The tests run in sequence, because each has its own daemons.
@Suite("Reference model", .serialized)
enum ReferenceModel {}
