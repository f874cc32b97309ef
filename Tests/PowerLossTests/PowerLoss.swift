import TestSupport
import Testing

/// Checks what survives a power cut. The tests run one after the other, because each has disks and processes of its own.
@Suite("Loss of power", .serialized, .needsRoot, .timeLimit(.minutes(20)))
enum PowerLoss {}
