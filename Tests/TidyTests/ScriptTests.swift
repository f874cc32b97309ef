import Foundation
import Testing

/// Checks what the programs in `scripts` import from each other. Most run on demand only, so a name that has moved would be missed.
@Suite("Scripts")
struct ScriptTests {
    @Test("each name that a script imports from another one is defined there")
    func imports() throws {
        let scripts = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "scripts").path)
        let modules = Dictionary(
            uniqueKeysWithValues: Repository.files(below: "scripts", ending: [".py"]).map {
                (String($0.path.dropFirst("scripts/".count).dropLast(".py".count)), Set($0.lines.flatMap(Self.defined)))
            })
        var count = 0
        for file in Repository.files(below: "scripts", ending: scripts) {
            for (number, line) in file.lines.enumerated() {
                guard let found = line.wholeMatch(of: /from (\w+) import ([\w, ]+)/),
                    let known = modules[String(found.1)]
                else { continue }
                for name in Self.names(found.2) {
                    count += 1
                    #expect(
                        known.contains(name), "\(file):\(number + 1) imports \(name), which \(found.1) does not have")
                }
            }
        }
        #expect(count > 50)
    }

    @Test("a reserved port is not reserved twice, and a daemon can listen on it")
    func reservedPorts() throws {
        let program = """
            from daemons import reservePort
            from socket import create_server
            first = reservePort()
            second = reservePort([first] * 1_000_000 + [*range(20_000, 32_000)])
            assert first != second
            for port in [first, second]:
                with create_server(("127.0.0.1", port)):
                    pass
            """
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/python3")
        python.arguments = ["-c", program]
        python.currentDirectoryURL = Repository.root.appending(path: "scripts")
        python.environment = ["PYTHONDONTWRITEBYTECODE": "1"]
        try python.run()
        python.waitUntilExit()
        #expect(python.terminationStatus == 0)
    }

    /// Returns the names that a line defines or imports at the top of its module.
    private static func defined(_ line: Substring) -> [String] {
        if let found = line.prefixMatch(of: /(?:def|class) (\w+)/) { return [String(found.1)] }
        if let found = line.wholeMatch(of: /from \w+ import ([\w, ]+)/) { return names(found.1) }
        guard let found = line.prefixMatch(of: #/([A-Za-z_][\w, ]*?) = /#) else { return [] }
        return names(found.1)
    }

    private static func names(_ list: Substring) -> [String] {
        // `A as B` imports A.
        list.split(separator: ",").compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}
