extension PostgresTables {
    /// State shared by the processes of a cluster; see ``ServerSchema/sharedTables``.
    static let shared = """
        CREATE TABLE secret (name TEXT COLLATE "C" PRIMARY KEY, value BYTEA NOT NULL);
        CREATE TABLE attempt (key BYTEA PRIMARY KEY, until BIGINT NOT NULL);
        CREATE TABLE usedChallenge (challenge BYTEA PRIMARY KEY, expires BIGINT NOT NULL);
        """
}
