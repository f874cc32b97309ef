import CloudProtocol
import CloudStorage
import Foundation
import HTTPCloud
import Logging
import TestSupport
import Testing

extension EndToEnd {
    @Suite("packaging/fail2ban")
    struct FilterTests {
        private static let folder = URL(filePath: #filePath).appending(path: "../../../packaging").standardizedFileURL

        /// Returns the filter's expression, with its placeholder for an address replaced as fail2ban would replace it.
        private func expression() throws -> Regex<AnyRegexOutput> {
            let text = try String(
                contentsOf: Self.folder.appending(path: "fail2ban/filter.conf"), encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("failregex = ") })
            let expression = line.dropFirst("failregex = ".count).replacing("<ADDR>", with: "([0-9a-fA-F.:]+)")
            return try Regex(String(expression))
        }

        @Test("the filter finds the address of a refused sign-in in the server's log, and matches no other lines")
        func filter() async throws {
            let folder = "\(NSTemporaryDirectory())/ubq-filter-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let log = "\(folder)/log"
            try Data().write(to: URL(filePath: log))
            let server = try ServerProcess(
                data: "\(folder)/data", logLevel: "debug", log: FileHandle(forWritingAtPath: log))
            try server.start()
            defer { server.close() }
            let address = try ServerAddress(server.url)
            let connection = ServerConnection(address: address, logger: Logger(label: "test")) { nil }
            await #expect(throws: CloudError.self) {
                try await connection.signIn(code: "AAAA-BBBB-CCCC-DDDD", device: "x sign-in refused")
            }
            let expression = try expression()
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            let found = lines.compactMap { $0.firstMatch(of: expression)?.output[1].substring }
            #expect(found == ["127.0.0.1"], "\(lines)")
            #expect(lines.count > 1)
        }

        @Test("packages install the filter and a disabled jail with its name")
        func staged() throws {
            let stage = try String(contentsOf: Self.folder.appending(path: "stage"), encoding: .utf8)
            for place in ["filter.d/ubiquity-server.conf", "jail.d/ubiquity-server.conf"] {
                #expect(stage.contains(place), "\(place)")
            }
            let jail = try String(contentsOf: Self.folder.appending(path: "fail2ban/jail.conf"), encoding: .utf8)
            #expect(jail.contains("[ubiquity-server]") && jail.contains("enabled = false"))
        }
    }
}
