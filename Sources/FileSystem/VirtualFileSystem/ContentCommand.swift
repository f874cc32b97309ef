package enum ContentCommand: Sendable { case download, downloadWhenSpace, evict }
