import Foundation
import Testing

/// Checks that modules import only what Package.swift declares. The compiler accepts an import of any module that was built before.
@Suite("Imports")
struct ImportTests {
    /// Modules of the toolchain, which every module may import.
    private static let platform: Set<String> = [
        "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization",
    ]

    /// The modules that own each outside library. All other modules use it through these.
    private static let owners: [String: Set<String>] = [
        "ArgumentParser": [
            "Commands", "database-bench", "long-log", "powerloss", "server-load", "simulate", "ubiquity",
            "ubiquity-server", "ubiquityd",
        ],
        // Only tests of a server's pages.
        "AsyncHTTPClient": [],
        // OpenSSL's algorithms; libcurl has its TLS, and the server's is swift-nio-ssl's own.
        "CCrypto": ["Cryptography", "TestSupport"],
        "CCurl": ["HTTPTransport"],
        "CFuse3": ["Fuse"],
        // Programs of devices do not link libpq.
        "CPostgres": ["ServerStorage"],
        "CZstd": ["Chunking"],
        "CoreMetrics": ["CloudServer"],
        // A device's database, a server's and those of programs share only the library. `Ledger` is such a program.
        "GRDB": ["Ledger", "LocalMetadata", "ServerStorage", "UbiquityData"],
        "HTTPTypes": ["CloudServer"],
        "Hummingbird": ["CloudServer"],
        "HummingbirdCore": ["CloudServer"],
        "HummingbirdTLS": ["CloudServer"],
        "NIOCore": ["CloudServer", "ControlServer", "S3Double"],
        "NIOExtras": ["ControlServer"],
        "NIOHTTP1": ["CloudServer", "S3Double"],
        "NIOHTTPTypes": ["CloudServer"],
        "NIOPosix": ["ControlServer", "S3Double", "ServerStorage"],
        "NIOSSL": ["CloudServer"],
        "ServiceLifecycle": ["CloudServer", "DaemonCore"],
        "Subprocess": ["TestSupport"],
        "UnixSignals": ["CloudServer", "DaemonCore"],
    ]

    private static func imports(of file: Repository.File) -> [String] {
        file.lines.filter { $0.contains("import ") }.compactMap { line in
            line.firstMatch(
                of:
                    /^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:package|public|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
            )
            .map { String($0.1) }
        }
    }

    @Test("the manifest is parsed completely")
    func manifest() throws {
        let manifest = try Manifest.current()
        let names = Set(manifest.modules.map(\.name))
        #expect(names.isSuperset(of: ["Basics", "DaemonCore", "ubiquity", "TidyTests"]))
        #expect(manifest.modules.first { $0.name == "ubiquity" }?.dependencies == ["Commands", "ArgumentParser"])
        for module in manifest.modules {
            #expect(Repository.exists(module.path), "\(module.name) is not where the manifest says: \(module.path)")
        }
    }

    @Test("every module imports only what it declares")
    func declared() throws {
        let manifest = try Manifest.current()
        for module in manifest.modules {
            let allowed = module.dependencies.union(Self.platform).union(module.servesTests ? ["Testing"] : [])
            for file in manifest.files(of: module) {
                for name in Self.imports(of: file) where !allowed.contains(name) {
                    Issue.record("\(file) imports \(name), which \(module.name) does not declare in Package.swift")
                }
            }
        }
    }

    @Test("every external library is declared only by the modules that own it")
    func owned() throws {
        for module in try Manifest.current().modules where !module.isTest {
            for (library, owners) in Self.owners where module.dependencies.contains(library) {
                #expect(owners.contains(module.name), "\(module.name) declares \(library), which belongs to \(owners)")
            }
        }
    }

    @Test("in the server only the database and the folded logs import GRDB")
    func databaseSeam() throws {
        let folder = "Sources/Server/ServerStorage"
        for file in Repository.files(below: folder, ending: [".swift"])
        where !["Database", "Folded"].contains(where: { file.path.hasPrefix("\(folder)/\($0)/") }) {
            #expect(!Self.imports(of: file).contains("GRDB"), "\(file) has to use StorageDatabase")
        }
    }

    @Test("no module in Sources depends on test code")
    func testSupport() throws {
        let manifest = try Manifest.current()
        let testCode = Set(manifest.modules.filter(\.servesTests).map(\.name))
        for module in manifest.modules where !module.servesTests {
            #expect(module.dependencies.isDisjoint(with: testCode), "\(module.name) depends on test code")
        }
    }

    /// Returns a module and all modules below it.
    private static func closure(of module: String, in manifest: Manifest) -> Set<String> {
        let modules = Dictionary(uniqueKeysWithValues: manifest.modules.map { ($0.name, $0.dependencies) })
        var reached: Set = [module]
        var pending = [module]
        while let name = pending.popLast() {
            for next in modules[name] ?? [] where reached.insert(next).inserted { pending.append(next) }
        }
        return reached
    }

    @Test("the library Ubiquity needs no outside library")
    func lightLibrary() throws {
        let manifest = try Manifest.current()
        #expect(!manifest.outside.isEmpty)
        #expect(Self.closure(of: "Ubiquity", in: manifest).isDisjoint(with: manifest.outside))
    }

    @Test("the command line starts fast: it does not link the event loops")
    func lightCommandLine() throws {
        let reached = Self.closure(of: "ubiquity", in: try Manifest.current())
        #expect(
            reached.isDisjoint(with: ["NIOCore", "NIOPosix", "GRDB", "ControlServer", "DaemonCore", "CCurl"]))
    }
}
