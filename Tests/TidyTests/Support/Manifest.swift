import Foundation

/// The modules of Package.swift and the modules that each may import, read from its text.
struct Manifest {
    struct Module {
        let name: String
        let path: String
        let isTest: Bool
        /// The modules of this project and of libraries that the module declares.
        let dependencies: Set<String>

        /// Whether the module is a test, or a module that only tests depend on.
        var servesTests: Bool { isTest || path.hasPrefix("Sources/TestSupport") || path.hasPrefix("Tests/") }
    }

    /// Returns the Swift files of a module, without those of modules in folders below it.
    func files(of module: Module) -> [Repository.File] {
        let inner = modules.map { "\($0.path)/" }.filter { $0.hasPrefix("\(module.path)/") && $0 != "\(module.path)/" }
        return Repository.files(below: module.path, ending: [".swift"])
            .filter { file in !inner.contains { file.path.hasPrefix($0) } }
    }

    let modules: [Module]
    /// The names of the modules of outside libraries.
    let outside: Set<String>

    init(text: String) {
        let products = Dictionary(
            text.matches(of: /let (\w+) = (?:server|programs|databases)\("(\w+)"/)
                .map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
        outside = Set(products.values)
        // A name between the brackets of `dependencies` belongs to the target named before them.
        let target =
            /\.(target|executableTarget|testTarget)\(\s*name: "([\w-]+)"(?:,\s*dependencies: \[([^\]]*)\])?(?:,\s*path: "([^"]*)")?/
        modules = text.matches(of: target).map { match in
            let words = (match.3 ?? "").matches(of: /"([\w-]+)"|(\w+)/)
            return Module(
                name: String(match.2), path: match.4.map(String.init) ?? "Tests/\(match.2)",
                isTest: match.1 == "testTarget",
                dependencies: Set(
                    words.map { word in word.1.map(String.init) ?? products[String(word.2 ?? "")] ?? String(word.0) }))
        }
    }

    static func current() throws -> Manifest {
        Manifest(text: try String(contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8))
    }
}
