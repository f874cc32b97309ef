import Testing

/// Real daemons, real mounts, real programs. One test after the other: each has two daemons and often a busy program of its own.
@Suite("End to end", .serialized, .timeLimit(.minutes(10)))
enum EndToEnd {}
