import Testing

/// Real daemons, real mounts, real programs. The tests run in sequence, because each has two daemons and often a busy
/// program; `scripts/test` runs four parts of the suites side by side.
@Suite("End to end", .serialized, .timeLimit(.minutes(10)))
enum EndToEnd {}
