import Testing

/// Compares the mount with the disk beside it. The tests run one after the other, because each has daemons of its own.
@Suite("Reference model", .serialized)
enum ReferenceModel {}
