import Foundation
import Glibc
package import ServerStorage
import Synchronization

/// A PostgreSQL server for tests, in a temporary directory, with synced commits. It ends with this process, however
/// that ends.
package final class TestPostgres: Sendable {
    /// Why no server could be started.
    package struct NotStarted: Error, CustomStringConvertible { package let description: String }

    private static let started = Mutex<Result<TestPostgres, any Error>?>(nil)
    private static let number = Atomic(0)

    /// The server shared by all tests of this process; each uses a separate database.
    package static func shared() throws -> TestPostgres {
        try started.withLock { started in
            let result = started ?? Result { try TestPostgres() }
            started = result
            return try result.get()
        }
    }

    private let folder: String
    private let unused = Mutex<[PostgresAddress]>([])
    /// Stops the server when its standard input ends, at the end of this process, however that ends.
    private let supervisor: ShellProcess

    /// Creates and starts a new server, for tests that kill it.
    package init() throws {
        let programs = try Self.programs()
        folder = "/tmp/ubiquity-postgres-\(UUID().uuidString.prefix(13))"
        // PostgreSQL refuses to run as root.
        let user =
            geteuid() == 0
            ? ["setpriv", "--reuid=\(Self.unprivileged)", "--regid=\(Self.unprivilegedGroup)", "--clear-groups"] : []
        supervisor = try ShellProcess(Self.script, ["sh", folder, programs] + user)
        guard supervisor.read(6) == "ready\n" else {
            let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
            throw NotStarted(description: "PostgreSQL did not start: \(log.suffix(500))")
        }
    }

    deinit { stop() }

    /// Stops the server and removes its files.
    package func stop() {
        supervisor.endInput()
        supervisor.waitUntilExit()
    }

    private static var unprivileged: Int { Int(getpwnam("postgres")?.pointee.pw_uid ?? 65_534) }
    private static var unprivilegedGroup: Int { Int(getpwnam("postgres")?.pointee.pw_gid ?? 65_534) }

    private static func programs() throws -> String {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let found = folders.compactMap(Int.init).sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
            .first { access("\($0)/initdb", X_OK) == 0 }
        guard let found else {
            throw NotStarted(description: "PostgreSQL is not installed; `make setup` installs it (postgresql-15).")
        }
        return found
    }

    /// Arguments: the folder, the folder of the programs, and the command that changes the user. The server is
    /// restarted whenever it is killed, as by a service manager, until standard input ends.
    private static let script = """
        folder=$1; programs=$2; shift 2
        mkdir -m 700 "$folder" && if [ $# -gt 0 ]; then chown "${2#--reuid=}:${3#--regid=}" "$folder"; fi && cd "$folder" || exit 1
        "$@" "$programs/initdb" --pgdata="$folder/data" --username=ubiquity --auth=trust --encoding=UTF8 --locale=C --no-sync \
            > "$folder/log" 2>&1 || exit 1
        cat >> "$folder/data/postgresql.conf" <<END
        listen_addresses = ''
        unix_socket_directories = '$folder'
        max_connections = 300
        shared_buffers = 32MB
        restart_after_crash = on
        END
        (
            while [ ! -e "$folder/over" ]; do
                "$@" "$programs/postgres" -D "$folder/data" >> "$folder/log" 2>&1 < /dev/null
                sleep 0.1
            done
        ) &
        loop=$!
        for _ in $(seq 300); do
            "$programs/pg_isready" -q -h "$folder" && { echo ready; break; }
            sleep 0.1
        done
        cat > /dev/null
        touch "$folder/over"
        kill -QUIT "$(head -n 1 "$folder/data/postmaster.pid")" 2> /dev/null
        wait $loop
        rm -rf "$folder"
        """

    // MARK: Databases

    /// The address of a database on this server.
    package func address(of database: String = "postgres") throws -> PostgresAddress {
        try PostgresAddress("host=\(folder) user=ubiquity dbname=\(database)")
    }

    /// Creates an empty database.
    package func makeDatabase() throws -> PostgresAddress {
        let name = "test\(Self.number.add(1, ordering: .relaxed).newValue)"
        try PostgresOwner(address()).run("CREATE DATABASE \(name)")
        return try address(of: name)
    }

    /// Returns a database with no rows: a new or a recycled one.
    package func takeDatabase() throws -> PostgresAddress {
        try unused.withLock { $0.popLast() } ?? makeDatabase()
    }

    /// Removes the rows of a database no longer used by any store, for use by later tests.
    package func giveBack(_ database: PostgresAddress) throws {
        try PostgresOwner(database).run(
            """
            DO $$ BEGIN EXECUTE (
                SELECT coalesce('TRUNCATE ' || string_agg(quote_ident(tablename), ',') || ' RESTART IDENTITY', 'SELECT 1')
                FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schemamigration');
            END $$
            """)
        unused.withLock { $0.append(database) }
    }

    // MARK: Faults

    /// Kills the server without notice. Its supervisor starts it again.
    package func kill() throws { try signal(SIGKILL) }

    /// Stops every process of the server until ``resume()``: it keeps its connections and does nothing.
    package func suspend() throws { try signal(SIGSTOP) }

    package func resume() throws { try signal(SIGCONT) }

    private func signal(_ number: Int32) throws {
        let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let main = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw NotStarted(description: "The server's process is not known.")
        }
        let children = try String(contentsOfFile: "/proc/\(main)/task/\(main)/children", encoding: .utf8)
        for process in [main] + children.split(separator: " ").compactMap({ Int32($0) }) {
            Glibc.kill(process, number)
        }
    }
}
