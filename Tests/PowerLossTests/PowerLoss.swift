import TestSupport
import Testing

/// Checks the result of a power cut. The tests run in sequence, because each has its own disks and processes.
@Suite("Loss of power", .serialized, .needsRoot, .timeLimit(.minutes(20)))
enum PowerLoss {}
