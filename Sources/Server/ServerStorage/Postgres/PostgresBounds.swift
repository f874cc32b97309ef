/// How long anything may wait for PostgreSQL.
package struct PostgresBounds: Sendable {
    /// Connecting to one host; libpq counts whole seconds, and at least 2.
    package var connect: Duration = .seconds(5)
    /// A statement on the server, with its wait for locks.
    package var statement: Duration = .seconds(30)
    /// The silence of a server with a running statement after which the connection counts as broken.
    package var silence: Duration = .seconds(40)
    /// How long a transaction is retried while the database cannot be reached, from its arrival on.
    package var patience: Duration = .seconds(10)

    package init() {}
}
