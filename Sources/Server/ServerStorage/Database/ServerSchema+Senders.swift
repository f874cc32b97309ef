extension ServerSchema {
    /// The states of a device that have used its token (``SenderStore``). `id` is a ``DeviceID`` as a signed number,
    /// `resetAsked` the time of a requested reset that this state has not begun.
    static let senders = """
        CREATE TABLE sender (
            device INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,
            id INTEGER NOT NULL,
            name TEXT NOT NULL,
            address TEXT NOT NULL,
            firstSeen INTEGER NOT NULL,
            lastSeen INTEGER NOT NULL,
            resetAsked INTEGER,
            PRIMARY KEY (device, id)
        ) WITHOUT ROWID;
        """
}
