import Testing

/// The mount against the disk beside it. One test after the other: each has daemons of its own.
@Suite("Reference model", .serialized)
enum ReferenceModel {}
