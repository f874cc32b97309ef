import Basics
import CloudProtocol
import Foundation
import GRDB
import ServerStorage
import Testing

@Suite("Scope and expiry of a device's access", .eachEngine)
struct DeviceScopeTests {
    @Test("a device has the scope and expiry of its code, and loses its access then")
    func expiry() async throws {
        let time = SettableTime()
        try await withStore(time: time) { store in
            try await store.accounts.add("anna")
            let end = time.now().split.seconds + 3_600
            let code = try await store.accounts.addCode(for: "anna", grant: DeviceGrant(scope: .read, expires: end))
            let answer = try await store.devices.signIn(code: code, device: "guest")
            let token = try #require(DeviceToken(answer.token))
            let device = try #require(try await store.devices.device(with: token))
            #expect(device.scope == .read)
            let listed = try await store.devices.list().first
            #expect(listed?.scope == .read && listed?.expires?.split.seconds == end)
            let before = try await store.devices.isSignedIn(device)
            #expect(before)
            time.advance(by: .seconds(3_600))
            let after = try await store.devices.isSignedIn(device)
            #expect(!after)
            do {
                _ = try await store.devices.device(with: token)
                Issue.record("an expired token was accepted")
            } catch let error as StorageError {
                #expect(error.code == .unauthorized && error.message.contains("limited in time"))
            }
        }
    }

    @Test("a code for limited access opens no browser session, and stays valid for a device")
    func browser() async throws {
        try await withStore { store in
            try await store.accounts.add("anna")
            for grant in [DeviceGrant(scope: .read), DeviceGrant(expires: 4_000_000_000)] {
                let code = try await store.accounts.addCode(for: "anna", grant: grant)
                await #expect(throws: StorageError.self) {
                    try await store.sessions.openSession(code: code, browser: "b", secret: [1])
                }
                _ = try await store.devices.signIn(code: code, device: "device")
            }
        }
    }

    @Test(
        "devices and codes of the previous schema have full access without expiry, and an unknown scope is read-only",
        .sqliteFileOnly
    )
    func migration() async throws {
        try await withFolder { path in
            var (token, code): (DeviceToken?, SignInCode?)
            try await withStore(at: path) { store in
                try await store.accounts.add("anna")
                token = DeviceToken(
                    try await store.devices.signIn(code: store.accounts.addCode(for: "anna"), device: "old").token)
                code = try await store.accounts.addCode(for: "anna")
            }
            try await DatabaseQueue(path: "\(path)/server.sqlite").write { db in try Self.undo(db) }
            try await withStore(at: path) { store in
                let device = try await store.devices.device(with: #require(token))
                #expect(device?.scope == .full)
                let listed = try await store.devices.list().first
                #expect(listed?.scope == .full && listed?.expires == nil)
                try await store.sessions.openSession(code: #require(code), browser: "b", secret: [1])
                let handle = try await store.sessions.userHandle(of: store.accounts.account(named: "anna"))
                #expect(handle.count == 16)
            }
            try await DatabaseQueue(path: "\(path)/server.sqlite").write { db in
                try db.execute(sql: "UPDATE device SET scope = 'something newer'")
            }
            try await withStore(at: path) { store in
                let device = try await store.devices.device(with: #require(token))
                #expect(device?.scope == .read)
            }
        }
    }

    /// Restores the schema of the time before the migration "signIn".
    private static func undo(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE code DROP COLUMN scope;
                ALTER TABLE code DROP COLUMN deviceExpires;
                ALTER TABLE code DROP COLUMN wrongFactors;
                ALTER TABLE device DROP COLUMN scope;
                ALTER TABLE device DROP COLUMN expires;
                ALTER TABLE account DROP COLUMN userHandle;
                DROP TABLE oneTimePassword;
                DROP TABLE recoveryCode;
                DROP TABLE passkey;
                DELETE FROM grdb_migrations WHERE identifier = 'signIn';
                """)
    }

    @Test("times are written as a number with a unit")
    func times() {
        #expect(DeviceGrant.seconds("30m") == 1_800 && DeviceGrant.seconds("12h") == 43_200)
        #expect(DeviceGrant.seconds("30d") == 2_592_000 && DeviceGrant.seconds("4w") == 2_419_200)
        for text in ["", "d", "0d", "-1d", "1", "1y", "9223372036854775807w", "99999d", "1.5d"] {
            #expect(DeviceGrant.seconds(text) == nil, "\(text)")
        }
    }
}
