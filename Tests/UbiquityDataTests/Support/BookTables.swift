import UbiquityData

/// Tables with a natural key, a counter, a unique name and references.
enum BookTables {
    static let all = [
        UbiquitousTable("tag", unify: ["name"]), UbiquitousTable("account", counters: ["balance"]),
        UbiquitousTable("booking"),
    ]
    static let schema = """
        CREATE TABLE IF NOT EXISTS tag(id TEXT PRIMARY KEY NOT NULL, name TEXT);
        CREATE TABLE IF NOT EXISTS account(id TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE,
            balance INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE IF NOT EXISTS booking(id TEXT PRIMARY KEY NOT NULL,
            account TEXT NOT NULL REFERENCES account ON DELETE CASCADE, tag TEXT REFERENCES tag ON DELETE SET NULL);
        """
}
