package enum ContentCommand: Sendable { case download, keep, downloadWhenSpace, evict }
