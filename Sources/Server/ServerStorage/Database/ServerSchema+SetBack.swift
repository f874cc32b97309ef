extension ServerSchema {
    /// `generation` counts the checks of health (``GenerationWatch``); `setBackAt`, `setBackFrom` and `setBackTo` are
    /// set until the owner has dealt with a database that went back. `ahead` has the devices that have read beyond the
    /// end of a log; `position` and `digest` are those named by the device, `logEnd` is the end of the log at that
    /// moment.
    static let setBack = """
        ALTER TABLE health ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE health ADD COLUMN setBackAt INTEGER;
        ALTER TABLE health ADD COLUMN setBackFrom INTEGER;
        ALTER TABLE health ADD COLUMN setBackTo INTEGER;
        CREATE TABLE ahead (
            container INTEGER NOT NULL REFERENCES container (id) ON DELETE CASCADE,
            device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            logEnd INTEGER NOT NULL,
            noted INTEGER NOT NULL,
            PRIMARY KEY (container, device)
        ) WITHOUT ROWID;
        CREATE INDEX aheadOfDevice ON ahead (device);
        """
}
