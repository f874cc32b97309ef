extension ServerSchema {
    /// A device's permissions and their expiry, set by the code that signs it in; the count of a code's wrong second
    /// factors; second factors; and passkeys. `userHandle` is the name of an account in passkeys. `confirmed` is 0
    /// while an authenticator app is being set up; `lastStep` is the last step whose code was accepted.
    static let signIn = """
        ALTER TABLE code ADD COLUMN scope TEXT NOT NULL DEFAULT 'full';
        ALTER TABLE code ADD COLUMN deviceExpires INTEGER;
        ALTER TABLE code ADD COLUMN wrongFactors INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE device ADD COLUMN scope TEXT NOT NULL DEFAULT 'full';
        ALTER TABLE device ADD COLUMN expires INTEGER;
        ALTER TABLE account ADD COLUMN userHandle BLOB;
        UPDATE account SET userHandle = randomblob(16);
        CREATE TABLE oneTimePassword (
            account INTEGER PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            secret BLOB NOT NULL,
            confirmed INTEGER NOT NULL DEFAULT 0,
            lastStep INTEGER
        );
        CREATE TABLE recoveryCode (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            PRIMARY KEY (account, hash)
        ) WITHOUT ROWID;
        CREATE TABLE passkey (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            credential BLOB NOT NULL UNIQUE,
            key BLOB NOT NULL,
            domain TEXT NOT NULL,
            counter INTEGER NOT NULL,
            name TEXT NOT NULL,
            created INTEGER NOT NULL,
            used INTEGER
        );
        CREATE INDEX passkeyOfAccount ON passkey (account);
        """
}
