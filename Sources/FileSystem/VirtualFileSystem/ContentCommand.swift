package enum ContentCommand: Sendable { case download, evict }
