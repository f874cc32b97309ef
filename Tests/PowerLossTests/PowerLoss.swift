import TestSupport
import Testing

/// What is left when the power goes. One test after the other: each has disks and processes of its own.
@Suite("Loss of power", .serialized, .needsRoot, .timeLimit(.minutes(20)))
enum PowerLoss {}
