package enum VersionChange: Hashable, Sendable { case gained, lost, resolved }
