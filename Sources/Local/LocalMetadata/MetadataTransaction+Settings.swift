package import CloudModel
import GRDB

package import struct Foundation.Data

/// Reads and writes settings, and local contents' manifests, so that reading and resuming need no network.
extension MetadataTransaction {
    package func setting(_ key: String) throws -> Data? {
        try Data.fetchOne(db.cachedStatement(sql: "SELECT value FROM setting WHERE key = ?"), arguments: [key])
    }

    package func setSetting(_ key: String, _ value: Data) throws {
        try run("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", [key, value])
    }

    package func manifest(_ digest: Digest) throws -> [UInt8]? {
        try Data.fetchOne(
            db.cachedStatement(sql: "SELECT bytes FROM manifest WHERE digest = ?"), arguments: [digest.data]
        ).map(Array.init)
    }

    package func setManifest(_ bytes: [UInt8], for digest: Digest) throws {
        try run("INSERT OR IGNORE INTO manifest (digest, bytes) VALUES (?, ?)", [digest.data, Data(bytes)])
    }
}
