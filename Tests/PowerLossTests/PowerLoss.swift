import TestSupport
import Testing

/// What is left after a power cut. The tests run one after the other, because each has disks and processes of its own.
@Suite("Loss of power", .serialized, .needsRoot, .timeLimit(.minutes(20)))
enum PowerLoss {}
