extension ServerSchema {
    /// State shared by the processes of a cluster. `secret` has keys and tokens of the server itself. `attempt` has for
    /// each bounded action the time at which all its attempts are allowed again. `usedChallenge` has accepted
    /// challenges until they expire.
    static let sharedTables = """
        CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE attempt (key BLOB PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE usedChallenge (challenge BLOB PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
        """
}
