// swift-tools-version: 6.2
import PackageDescription

// Products of other packages are behind traits: an app that depends on this package with `traits: []` and imports Ubiquity fetches none.
func server(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

func programs(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Mount", "Server"]))
}

func databases(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Data", "Mount", "Server"]))
}

// Outside libraries, each with the one module that owns it (see docs/OVERVIEW.md).
let asyncHTTPClient = server("AsyncHTTPClient", of: "async-http-client")
let argumentParser = programs("ArgumentParser", of: "swift-argument-parser")
let coreMetrics = server("CoreMetrics", of: "swift-metrics")
let grdb = databases("GRDB", of: "GRDB.swift")
let sqlite = databases("GRDBSQLite", of: "GRDB.swift")
let httpTypes = server("HTTPTypes", of: "swift-http-types")
let hummingbird = server("Hummingbird", of: "hummingbird")
let hummingbirdCore = server("HummingbirdCore", of: "hummingbird")
let hummingbirdTLS = server("HummingbirdTLS", of: "hummingbird")
let logging = databases("Logging", of: "swift-log")
let nioCore = programs("NIOCore", of: "swift-nio")
let nioHTTP1 = server("NIOHTTP1", of: "swift-nio")
let nioPosix = programs("NIOPosix", of: "swift-nio")
let nioHTTPTypes = server("NIOHTTPTypes", of: "swift-nio-extras")
let nioExtras = programs("NIOExtras", of: "swift-nio-extras")
let nioSSL = server("NIOSSL", of: "swift-nio-ssl")
let serviceLifecycle = server("ServiceLifecycle", of: "swift-service-lifecycle")
let unixSignals = programs("UnixSignals", of: "swift-service-lifecycle")
let subprocess = programs("Subprocess", of: "swift-subprocess")
let systemPackage = programs("SystemPackage", of: "swift-system")

let package = Package(
    name: "ubiquity",
    products: [
        .library(name: "Ubiquity", targets: ["Ubiquity"]),
        .library(name: "UbiquityData", targets: ["UbiquityData"]),
        .executable(name: "ubiquity", targets: ["ubiquity"]),
        .executable(name: "ubiquity-server", targets: ["ubiquity-server"]),
        .executable(name: "ubiquityd", targets: ["ubiquityd"]),
        .library(name: "clock-shift", type: .dynamic, targets: ["ClockShift"]),
    ],
    traits: [
        .trait(name: "Mount", description: "The programs ubiquity and ubiquityd."),
        .trait(name: "Server", description: "The program ubiquity-server."),
        .trait(name: "Data", description: "The library UbiquityData, on GRDB."),
        .default(enabledTraits: ["Mount", "Server", "Data"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // MARK: Model: nouns, no I/O
        .systemLibrary(name: "CLinux", path: "Sources/Model/CLinux"),
        .target(name: "Basics", dependencies: ["CLinux"], path: "Sources/Model/Basics"),
        .testTarget(name: "BasicsTests", dependencies: ["Basics"]),
        .systemLibrary(
            name: "CCrypto", path: "Sources/Model/CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "Cryptography", dependencies: ["CCrypto", "CloudModel"], path: "Sources/Model/Cryptography"),
        .testTarget(name: "CryptographyTests", dependencies: ["Basics", "Cryptography", "TestSupport"]),
        .target(name: "CloudModel", dependencies: ["Basics"], path: "Sources/Model/CloudModel"),
        .testTarget(name: "CloudModelTests", dependencies: ["Basics", "CloudModel"]),

        // MARK: Protocols: what crosses a process boundary
        .target(
            name: "DaemonProtocol", dependencies: ["Basics", "CLinux", "CloudModel"],
            path: "Sources/Protocols/DaemonProtocol"),
        .testTarget(
            name: "DaemonProtocolTests", dependencies: ["Basics", "CloudModel", "DaemonProtocol", "TestSupport"]),

        .target(
            name: "CloudProtocol", dependencies: ["Basics", "CloudModel"], path: "Sources/Protocols/CloudProtocol"),
        .testTarget(
            name: "CloudProtocolTests", dependencies: ["Basics", "CloudModel", "CloudProtocol", "TestSupport"]),

        // MARK: Cloud: a log and a chunk store
        .systemLibrary(
            name: "CZstd", path: "Sources/Cloud/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "ContainerLog", dependencies: ["Basics", "CloudModel"], path: "Sources/Cloud/ContainerLog"),
        .testTarget(
            name: "ContainerLogTests", dependencies: ["Basics", "CloudModel", "ContainerLog", "TestSupport"],
            exclude: ["Golden"]),
        .target(
            name: "Chunking", dependencies: ["Basics", "CloudModel", "Cryptography", "CZstd"],
            path: "Sources/Cloud/Chunking"),
        .testTarget(name: "ChunkingTests", dependencies: ["Basics", "Chunking", "CloudModel", "TestSupport"]),
        .target(
            name: "CloudStorage", dependencies: ["Basics", "CloudModel", "Cryptography", logging],
            path: "Sources/Cloud/CloudStorage"),
        .testTarget(
            name: "CloudStorageTests",
            dependencies: ["Basics", "CloudModel", "CloudStorage", "TestSupport", logging]),
        .target(
            name: "DirectoryCloud",
            dependencies: ["Basics", "CLinux", "CloudModel", "CloudStorage", "Cryptography", logging, systemPackage],
            path: "Sources/Cloud/DirectoryCloud"),
        .testTarget(
            name: "DirectoryCloudTests",
            dependencies: [
                "Basics", "CloudModel", "CloudStorage", "Cryptography", "DirectoryCloud", "TestSupport", logging,
                systemPackage,
            ]),

        .systemLibrary(
            name: "CCurl", path: "Sources/Cloud/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(
            name: "HTTPTransport", dependencies: ["Basics", "CCurl", "Cryptography"],
            path: "Sources/Cloud/HTTPTransport"),
        .testTarget(
            name: "HTTPTransportTests", dependencies: ["Basics", "HTTPTransport", "TestSupport"]),
        .target(
            name: "HTTPCloud",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudStorage", "Cryptography", "HTTPTransport",
                logging,
            ],
            path: "Sources/Cloud/HTTPCloud"),
        .testTarget(
            name: "HTTPCloudTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudServer", "CloudStorage", "Cryptography",
                "HTTPCloud", "HTTPTransport", "S3Client", "S3Double", "ServerStorage", "ServerSupport", "TestSupport",
                logging, nioCore, nioPosix,
            ]),

        .target(
            name: "S3Client", dependencies: ["Basics", "Cryptography", "HTTPTransport", logging],
            path: "Sources/Cloud/S3Client"),
        .target(
            name: "S3Double", dependencies: ["Basics", "S3Client", nioCore, nioHTTP1, nioPosix],
            path: "Sources/TestSupport/S3Double"),
        .testTarget(
            name: "S3ClientTests",
            dependencies: ["Basics", "HTTPTransport", "S3Client", "S3Double", "TestSupport", logging]),

        .target(
            name: "S3Cloud",
            dependencies: ["Basics", "CloudModel", "CloudStorage", "Cryptography", "S3Client", logging],
            path: "Sources/Cloud/S3Cloud"),
        .testTarget(
            name: "S3CloudTests",
            dependencies: [
                "Basics", "CloudModel", "CloudStorage", "Cryptography", "HTTPTransport", "S3Client", "S3Cloud",
                "S3Double", "TestSupport", logging,
            ]),

        .target(
            name: "CloudAccess",
            dependencies: [
                "Basics", "CloudProtocol", "CloudStorage", "DaemonProtocol", "DirectoryCloud", "HTTPCloud",
                "HTTPTransport", "S3Client", "S3Cloud", logging, systemPackage,
            ], path: "Sources/Cloud/CloudAccess"),

        // MARK: Local: what a device keeps
        .target(
            name: "LocalMetadata",
            dependencies: ["Basics", "CLinux", "CloudModel", "ContainerLog", "Cryptography", grdb, logging, sqlite],
            path: "Sources/Local/LocalMetadata"),
        .testTarget(
            name: "LocalMetadataTests",
            dependencies: [
                "Basics", "CloudModel", "ContainerLog", "DeviceSupport", "LocalMetadata", "TestSupport", grdb, logging,
                sqlite,
            ]),
        .target(name: "Archives", path: "Sources/Local/Archives"),
        .target(name: "DocumentMoves", dependencies: ["Basics", "CLinux"], path: "Sources/Local/DocumentMoves"),
        .testTarget(name: "DocumentMovesTests", dependencies: ["Basics", "CLinux", "DocumentMoves"]),
        .target(
            name: "LocalContent",
            dependencies: ["Basics", "CLinux", "CloudModel", "LocalMetadata", logging, systemPackage],
            path: "Sources/Local/LocalContent"),
        .testTarget(
            name: "LocalContentTests",
            dependencies: ["Basics", "CloudModel", "DeviceSupport", "LocalContent", "LocalMetadata", "TestSupport"]),

        // MARK: Engine: what moves between them
        .target(
            name: "Transfers",
            dependencies: ["Basics", "Chunking", "CloudModel", "CloudStorage", logging, systemPackage],
            path: "Sources/Engine/Transfers"),
        .testTarget(
            name: "TransfersTests",
            dependencies: ["Basics", "Chunking", "CloudModel", "CloudStorage", "TestSupport", "Transfers"]),
        .target(
            name: "Sync",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "LocalContent", "LocalMetadata",
                "Transfers", logging,
            ], path: "Sources/Engine/Sync"),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudStorage", "ContainerLog", "DeviceSupport",
                "DirectoryCloud", "LocalContent", "LocalMetadata", "ServerSupport", "Sync", "TestSupport", "Transfers",
                "VirtualFileSystem", grdb, logging, sqlite, systemPackage,
            ]),

        .target(
            name: "Maintenance",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "LocalContent", "LocalMetadata",
                "Sync", "Transfers", logging,
            ], path: "Sources/Engine/Maintenance"),
        .testTarget(
            name: "MaintenanceTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "Cryptography", "DeviceSupport",
                "DirectoryCloud", "HTTPTransport", "LocalContent", "LocalMetadata", "Maintenance", "S3Client",
                "S3Cloud",
                "S3Double", "Sync", "TestSupport", "Transfers", "VirtualFileSystem", logging, systemPackage,
            ]),

        // MARK: Services: what programs share
        .target(name: "Coordination", dependencies: ["Basics", "CloudModel"], path: "Sources/Services/Coordination"),
        .target(name: "Queries", dependencies: ["Basics", "CloudModel"], path: "Sources/Services/Queries"),
        .testTarget(name: "QueriesTests", dependencies: ["CloudModel", "Queries", "TestSupport"]),
        .testTarget(name: "CoordinationTests", dependencies: ["Basics", "CloudModel", "Coordination", "TestSupport"]),
        .target(
            name: "ClaimService",
            dependencies: [
                "Basics", "CloudModel", "Coordination", "DaemonProtocol", "LocalMetadata", "Sync", "VirtualFileSystem",
                logging,
            ], path: "Sources/Services/ClaimService"),
        .testTarget(
            name: "ClaimServiceTests",
            dependencies: [
                "Basics", "ClaimService", "CloudModel", "Coordination", "DaemonProtocol", "DeviceSupport",
                "LocalMetadata", "Sync", "TestSupport", "VirtualFileSystem", logging,
            ]),
        .target(
            name: "LiveQueries",
            dependencies: [
                "Basics", "CloudModel", "DaemonProtocol", "LocalMetadata", "Queries", "Sync", "VirtualFileSystem",
                logging,
            ], path: "Sources/Services/LiveQueries"),
        .testTarget(
            name: "LiveQueriesTests",
            dependencies: [
                "Basics", "CloudModel", "DaemonProtocol", "LiveQueries", "LocalMetadata", "Queries", "TestSupport",
                logging,
            ]),

        .target(
            name: "KeyValues", dependencies: ["DaemonProtocol", "LocalMetadata", "Sync"],
            path: "Sources/Services/KeyValues"),
        .testTarget(name: "KeyValuesTests", dependencies: ["DaemonProtocol", "KeyValues", "LocalMetadata", "Sync"]),
        .target(
            name: "Records", dependencies: ["Basics", "CloudModel", "CloudStorage", "Cryptography"],
            path: "Sources/Services/Records"),
        .testTarget(
            name: "RecordsTests", dependencies: ["Basics", "CloudModel", "CloudStorage", "Records", "TestSupport"]),
        .target(
            name: "VersionFiles",
            dependencies: ["Archives", "Basics", "CloudModel", "LocalMetadata", "Sync", "Transfers"],
            path: "Sources/Services/VersionFiles"),

        // MARK: App: what programs import
        .target(
            name: "Ubiquity",
            dependencies: [
                "Archives", "Basics", "CLinux", "CloudModel", "Coordination", "DaemonProtocol", "DocumentMoves",
                "Queries",
            ],
            path: "Sources/App/Ubiquity"),
        .testTarget(
            name: "UbiquityTests",
            dependencies: ["Basics", "CloudModel", "Coordination", "DaemonProtocol", "TestSupport", "Ubiquity"]),
        .target(
            name: "UbiquityData",
            dependencies: ["Basics", "CLinux", "CloudModel", "Records", grdb, sqlite], path: "Sources/App/UbiquityData"),
        .testTarget(
            name: "UbiquityDataTests",
            dependencies: [
                "Basics", "CLinux", "CSession", "CloudModel", "Records", "TestSupport", "UbiquityData", grdb, sqlite,
            ]),
        .executableTarget(name: "Ledger", dependencies: ["UbiquityData", grdb], path: "Examples/Ledger"),
        .executableTarget(name: "NoteTaker", dependencies: ["Ubiquity"], path: "Examples/NoteTaker"),
        .executableTarget(name: "presenter-tool", dependencies: ["Ubiquity"], path: "Tests/Support/presenter-tool"),

        // MARK: FileSystem: the mount
        .systemLibrary(
            name: "CFuse3", path: "Sources/FileSystem/CFuse3", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .target(
            name: "Fuse", dependencies: ["Basics", "CFuse3", logging, systemPackage], path: "Sources/FileSystem/Fuse"),
        .executableTarget(
            name: "fuse-test-fs", dependencies: ["Basics", "Fuse", logging], path: "Tests/Support/fuse-test-fs"),
        .testTarget(
            name: "FuseTests", dependencies: ["CFuse3", "DaemonProtocol", "Fuse", "TestSupport", "fuse-test-fs"]),
        .target(
            name: "VirtualFileSystem",
            dependencies: [
                "Basics", "CLinux", "CloudModel", "ContainerLog", "LocalContent", "LocalMetadata", "Transfers", logging,
                systemPackage,
            ], path: "Sources/FileSystem/VirtualFileSystem"),
        .testTarget(
            name: "VirtualFileSystemTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "DeviceSupport", "LocalContent", "LocalMetadata",
                "TestSupport", "Transfers", "VirtualFileSystem", logging,
            ]),
        .target(
            name: "Mount",
            dependencies: ["Basics", "CloudModel", "Fuse", "LocalMetadata", "VirtualFileSystem", logging],
            path: "Sources/FileSystem/Mount"),
        .testTarget(
            name: "MountTests",
            dependencies: [
                "Basics", "CFuse3", "Chunking", "CloudModel", "CloudStorage", "DeviceSupport", "Fuse", "LocalMetadata",
                "Mount", "TestSupport", "VirtualFileSystem", logging,
            ]),

        // MARK: Server: a cloud for others
        .systemLibrary(
            name: "CPostgres", path: "Sources/Server/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "ServerStorage",
            dependencies: [
                "Basics", "Chunking", "CLinux", "CPostgres", "CloudModel", "CloudProtocol", "ContainerLog",
                "Cryptography", "HTTPTransport", "S3Client", grdb, logging, nioPosix,
            ], path: "Sources/Server/ServerStorage"),
        .testTarget(
            name: "ServerStorageTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "ContainerLog", "Cryptography", "HTTPTransport",
                "S3Client", "S3Double", "ServerStorage", "ServerSupport", "TestSupport", grdb, logging,
            ]),
        .target(
            name: "ServerConsole", dependencies: ["Basics", "CloudModel", "ContainerLog"],
            path: "Sources/Server/ServerConsole"),
        .testTarget(
            name: "ServerConsoleTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudServer", "CloudStorage", "ContainerLog",
                "Cryptography",
                "HTTPCloud", "ServerConsole", "ServerStorage", "ServerSupport", "TestSupport", asyncHTTPClient, nioCore,
                nioHTTP1,
            ]),
        .target(
            name: "CloudServer",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "ContainerLog", "ServerConsole", "ServerStorage",
                coreMetrics, httpTypes, hummingbird,
                hummingbirdCore, hummingbirdTLS, logging, nioCore, nioHTTP1, nioHTTPTypes, nioSSL, serviceLifecycle,
                unixSignals,
            ], path: "Sources/Server/CloudServer"),
        .testTarget(
            name: "CloudServerTests",
            dependencies: [
                "Basics", "CloudModel", "CloudProtocol", "CloudServer", "ServerStorage", "TestSupport", coreMetrics,
                httpTypes,
                nioCore, nioHTTP1,
            ]),
        .executableTarget(
            name: "ubiquity-server",
            dependencies: [
                "Basics", "CloudModel", "CloudServer", "ContainerLog", "DaemonProtocol", "S3Client", "ServerConsole",
                "ServerStorage", argumentParser, logging,
            ], path: "Sources/Server/ubiquity-server"),

        .executableTarget(
            name: "long-log",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "DirectoryCloud", argumentParser,
                logging, systemPackage,
            ], path: "Tests/Support/long-log"),
        .executableTarget(
            name: "server-load",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudStorage", "ContainerLog", "HTTPCloud",
                argumentParser, logging,
            ], path: "Tests/Support/server-load"),

        // MARK: Daemon and command line
        .target(
            name: "ControlServer",
            dependencies: ["Basics", "DaemonProtocol", logging, nioCore, nioExtras, nioPosix],
            path: "Sources/Daemon/ControlServer"),
        .testTarget(name: "ControlServerTests", dependencies: ["ControlServer", "DaemonProtocol"]),
        .target(
            name: "CallHandlers",
            dependencies: [
                "Basics", "ClaimService", "CloudAccess", "CloudModel", "CloudStorage", "ContainerLog",
                "ControlServer", "Coordination", "DaemonProtocol", "KeyValues", "LiveQueries", "LocalMetadata",
                "Maintenance", "Mount", "Queries", "Sync", "Transfers", "VersionFiles", "VirtualFileSystem", logging,
            ], path: "Sources/Daemon/CallHandlers"),
        .testTarget(
            name: "CallHandlersTests",
            dependencies: [
                "Basics", "CallHandlers", "Chunking", "ClaimService", "CloudModel", "CloudStorage", "ContainerLog",
                "ControlServer", "DaemonProtocol", "DeviceSupport", "KeyValues", "LiveQueries", "LocalMetadata",
                "Maintenance", "Mount", "Sync", "TestSupport", "Transfers", "VersionFiles", "VirtualFileSystem",
                logging,
            ]),
        .target(
            name: "SharedDatabases",
            dependencies: ["Basics", "CLinux", "CloudModel", "DaemonProtocol", "Records", "UbiquityData", logging],
            path: "Sources/Daemon/SharedDatabases"),
        .testTarget(
            name: "SharedDatabasesTests",
            dependencies: [
                "Basics", "CLinux", "CloudModel", "DaemonProtocol", "Records", "SharedDatabases", "TestSupport",
                "UbiquityData", grdb, logging,
            ]),
        .target(
            name: "DaemonCore",
            dependencies: [
                "Basics", "CLinux", "CallHandlers", "ClaimService", "CloudAccess", "CloudModel", "CloudProtocol",
                "CloudStorage", "ContainerLog", "ControlServer", "DaemonProtocol", "Fuse", "KeyValues", "LiveQueries",
                "LocalContent",
                "LocalMetadata", "Maintenance", "Mount", "Sync", "Transfers", "VersionFiles", "VirtualFileSystem",
                logging, unixSignals,
            ], path: "Sources/Daemon/DaemonCore"),
        .executableTarget(
            name: "ubiquityd",
            dependencies: [
                "Basics", "CloudAccess", "DaemonCore", "DaemonProtocol", "Fuse", "Mount", "SharedDatabases",
                argumentParser, logging,
            ],
            path: "Sources/Daemon/ubiquityd"),
        .testTarget(
            name: "DaemonCoreTests",
            dependencies: [
                "Basics", "CallHandlers", "DaemonCore", "DaemonProtocol", "LocalMetadata", "TestSupport",
                "VirtualFileSystem",
                logging,
            ]),
        .target(
            name: "Commands",
            dependencies: ["Basics", "CLinux", "CloudModel", "DaemonProtocol", "DocumentMoves", argumentParser],
            path: "Sources/CommandLine/Commands"),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "Basics", "CloudModel", "Commands", "ControlServer", "DaemonProtocol", "TestSupport", logging,
                subprocess, systemPackage,
            ]),
        .executableTarget(
            name: "ubiquity", dependencies: ["Commands", argumentParser], path: "Sources/CommandLine/ubiquity"),

        // MARK: Tests across modules
        .target(
            name: "TestSupport",
            dependencies: [
                "Basics", "CCrypto", "CTestHome", "CloudModel", "CloudStorage", "ContainerLog", "Cryptography",
                subprocess, systemPackage,
            ],
            path: "Sources/TestSupport",
            exclude: [
                "CFaults", "CSession", "CTestHome", "Device", "Faults", "PowerLoss", "S3Double", "Server", "Simulation",
            ]),
        .target(name: "CTestHome", path: "Sources/TestSupport/CTestHome"),
        .systemLibrary(name: "CFaults", path: "Sources/TestSupport/CFaults"),
        .systemLibrary(name: "CSession", path: "Sources/TestSupport/CSession"),
        .target(name: "Faults", dependencies: ["CFaults"], path: "Sources/TestSupport/Faults"),
        .target(name: "ClockShift", path: "Tests/Support/clock-shift"),
        .executableTarget(name: "fault-tool", dependencies: ["CFaults", "Faults"], path: "Tests/Support/fault-tool"),
        .target(
            name: "DeviceSupport",
            dependencies: [
                "Basics", "CloudModel", "CloudStorage", "LocalContent", "LocalMetadata", "Sync", "TestSupport",
                "Transfers", "VirtualFileSystem", logging,
            ], path: "Sources/TestSupport/Device"),
        .target(
            name: "ServerSupport",
            dependencies: [
                "Basics", "CloudModel", "CloudProtocol", "CloudServer", "HTTPCloud", "S3Client", "ServerStorage",
                logging,
            ],
            path: "Sources/TestSupport/Server"),
        .target(
            name: "Simulation",
            dependencies: [
                "Basics", "CLinux", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "DeviceSupport",
                "LocalContent", "LocalMetadata", "Maintenance", "Records", "Sync", "TestSupport", "Transfers",
                "VirtualFileSystem", logging,
            ], path: "Sources/TestSupport/Simulation"),
        .executableTarget(
            name: "database-bench", dependencies: ["CloudModel", "Records", "UbiquityData", argumentParser, sqlite],
            path: "Tests/Support/database-bench"),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", "TestSupport", argumentParser],
            path: "Tests/Support/simulate"),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Basics", "CloudModel", "ContainerLog", "DeviceSupport", "LocalContent", "LocalMetadata", "Simulation",
                "Sync", "VirtualFileSystem",
            ]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudProtocol", "CloudStorage", "ContainerLog", "DaemonCore",
                "DaemonProtocol", "DirectoryCloud", "LocalMetadata", "Queries", "Records", "S3Client",
                "VirtualFileSystem", grdb, logging, sqlite,
            ], exclude: ["Corpus", "Fuzzer"]),
        .target(
            name: "PowerLoss",
            dependencies: [
                "Basics", "Chunking", "CloudModel", "CloudStorage", "ContainerLog", "DeviceSupport", "Fuse",
                "LocalContent", "LocalMetadata", "Sync", "TestSupport", "Transfers", "VirtualFileSystem", logging,
            ], path: "Sources/TestSupport/PowerLoss"),
        .executableTarget(
            name: "powerloss", dependencies: ["PowerLoss", "TestSupport", argumentParser],
            path: "Tests/Support/powerloss",
            // SQLite's library finds the two functions here before those of the C library.
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker", "--export-dynamic-symbol=fsync", "-Xlinker", "--export-dynamic-symbol=fdatasync",
                ])
            ]),
        .testTarget(
            name: "PowerLossTests",
            dependencies: [
                "Basics", "LocalContent", "LocalMetadata", "TestSupport", "powerloss", "ubiquity", "ubiquityd", logging,
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Basics", "CLinux", "Chunking", "CloudModel", "CloudProtocol", "CloudServer", "CloudStorage",
                "ContainerLog", "HTTPCloud", "HTTPTransport", "Ledger", "NoteTaker", "S3Client", "S3Double",
                "ServerStorage",
                "TestSupport", "UbiquityData", "presenter-tool", "ubiquity", "ubiquity-server", "ubiquityd", grdb,
                logging,
            ]),
        .testTarget(
            name: "FaultTests",
            dependencies: ["CLinux", "DaemonProtocol", "Faults", "TestSupport", "fault-tool", "ubiquity", "ubiquityd"]),
        .testTarget(
            name: "ReferenceModelTests",
            dependencies: ["CLinux", "DeviceSupport", "TestSupport", "ubiquity", "ubiquityd"]),
        .testTarget(name: "TidyTests"),
    ]
)

// One language for the whole house, each line a proposal of Swift evolution.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
        .treatAllWarnings(as: .error),
    ]
}

// `make fuzz` builds the decoders that FuzzTests replays as one program of libFuzzer, with the address sanitizer in all our modules.
if Context.environment["UBIQUITY_FUZZ"] != nil, let tests = package.targets.first(where: { $0.name == "FuzzTests" }) {
    let sanitizers = "-sanitize=fuzzer,address"
    let fuzzer = Target.executableTarget(
        name: tests.name, dependencies: tests.dependencies, path: "Tests/FuzzTests",
        exclude: ["Corpus", "CorpusTests.swift"],
        swiftSettings: tests.swiftSettings, linkerSettings: [.unsafeFlags([sanitizers, "-use-ld=lld"])])
    package.targets.removeAll { $0.name == tests.name }
    package.targets.append(fuzzer)
    for target in package.targets where target.type != .system {
        target.swiftSettings?.append(.unsafeFlags([sanitizers, "-enable-testing"]))
    }
}

// Every byte of every document passes its inner loops: unoptimised they are some thirty times slower, and tests with them.
for name in ["Chunking", "Faults"] {
    package.targets.first { $0.name == name }?.swiftSettings?
        .append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}
