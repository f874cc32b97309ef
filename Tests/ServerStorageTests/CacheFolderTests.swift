import Foundation
import Testing

@testable import ServerStorage

@Suite("The cache of a process of a cluster")
struct CacheFolderTests {
    @Test("it is made with its parents, closed to others; of a data directory the parent has to exist")
    func parents() async throws {
        try await withFolder { path in
            let cache = "\(path)/home/.cache/ubiquity-server"
            try DataDirectory(path: cache).prepare(mayCreate: true, isCache: true)
            for folder in ["", "/home", "/home/.cache", "/home/.cache/ubiquity-server"] {
                let mode = try FileManager.default.attributesOfItem(atPath: path + folder)[.posixPermissions] as? Int
                #expect(mode == 0o700, "\(folder)")
            }
            #expect(throws: StorageError.self) {
                try DataDirectory(path: "\(path)/absent/data").prepare(mayCreate: true)
            }
            let file = "\(path)/file"
            try Data().write(to: URL(filePath: file))
            #expect(throws: StorageError.self) {
                try DataDirectory(path: "\(file)/cache").prepare(mayCreate: true, isCache: true)
            }
        }
    }
}
