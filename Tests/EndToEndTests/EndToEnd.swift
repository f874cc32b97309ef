import Testing

/// Real daemons, real mounts, real programs. The tests run one after the other, because each has two daemons and often a busy program of
/// its own; `scripts/test` runs four parts of the suites side by side.
@Suite("End to end", .serialized, .timeLimit(.minutes(10)))
enum EndToEnd {}
