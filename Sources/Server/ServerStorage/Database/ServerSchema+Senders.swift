extension ServerSchema {
    /// The states of a device that have used its token (``SenderStore``). `id` is a ``DeviceID`` as a signed number.
    static let senders = """
        CREATE TABLE sender (
            device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
            id INTEGER NOT NULL,
            name TEXT NOT NULL,
            address TEXT NOT NULL,
            firstSeen INTEGER NOT NULL,
            lastSeen INTEGER NOT NULL,
            PRIMARY KEY (device, id)
        ) WITHOUT ROWID;
        """
}
