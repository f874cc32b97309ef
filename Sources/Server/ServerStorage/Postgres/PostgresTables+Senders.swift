extension PostgresTables {
    /// The states of a device using its token; see ``ServerSchema/senders``.
    static let senders = """
        CREATE TABLE sender (
            device BIGINT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
            id BIGINT NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            address TEXT COLLATE "C" NOT NULL,
            firstSeen BIGINT NOT NULL,
            lastSeen BIGINT NOT NULL,
            resetAsked BIGINT,
            PRIMARY KEY (device, id)
        );
        """
}
