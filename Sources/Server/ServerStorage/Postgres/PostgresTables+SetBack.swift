extension PostgresTables {
    /// Signs that the database went back; see ``ServerSchema/setBack``.
    static let setBack = """
        ALTER TABLE health ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE health ADD COLUMN setBackAt BIGINT;
        ALTER TABLE health ADD COLUMN setBackFrom BIGINT;
        ALTER TABLE health ADD COLUMN setBackTo BIGINT;
        CREATE TABLE ahead (
            container BIGINT NOT NULL REFERENCES container (id) ON DELETE CASCADE,
            device BIGINT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
            position BIGINT NOT NULL,
            digest BYTEA NOT NULL CHECK (length(digest) = 32),
            logEnd BIGINT NOT NULL,
            noted BIGINT NOT NULL,
            PRIMARY KEY (container, device)
        );
        CREATE INDEX aheadOfDevice ON ahead (device);
        """
}
