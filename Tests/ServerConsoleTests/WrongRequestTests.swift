import CloudServer
import NIOHTTP1
import ServerStorage
import ServerSupport
import Testing

/// Tests answers to wrong requests, on every route.
@Suite("Answers to wrong requests", .timeLimit(.minutes(10)))
struct WrongRequestTests {
    /// Words of Swift's descriptions of errors, and of its decoder's.
    private static let foreign = [
        "DecodingError", "CodingKey", "Swift.", "debugDescription", "keyNotFound", "Key '", "Error Domain", "Optional(",
    ]

    private func path(_ route: String) -> (method: HTTPMethod, path: String) {
        let parts = route.split(separator: " ")
        let path = parts[1].replacing("{container}", with: "CloudDocs").replacing(/\{\w+\}/, with: "99")
        return (HTTPMethod(rawValue: String(parts[0])), String(path))
    }

    @Test("no route answers a wrong body with text of Swift's decoder, and programs learn which field is wrong")
    func bodies() async throws {
        try await withServer { server in
            let device = try await server.device()
            let session = try await server.session()
            let token = try #require(
                try await server.page("devices", session).text.firstMatch(of: /name="token" value="(\w+)"/)?.1)
            let bodies = [
                "", "{}", "[]", "{\"code\":1}", "{\"digest\":null}", "{", "a=b&=&%", "\u{FF}", "token=\(token)",
            ]
            let routes = CloudServer(server.store, CloudServerConfiguration(), log: quiet).routes
            // These end the access with which the test asks, or take any bytes.
            let others: Set = ["POST /v1/sign-out", "POST /console/sign-out", "POST /v1/containers/{container}/log"]
            for route in routes where !route.hasPrefix("GET") && !route.hasPrefix("HEAD") && !others.contains(route) {
                let (method, path) = path(route)
                for body in bodies {
                    let answer = try await server.request(
                        method, path,
                        headers: [
                            ("Cookie", session), ("Authorization", "Bearer \(device.token)"),
                            ("Ubiquity-Protocol", "1"),
                        ], body: body)
                    #expect(answer.status < 500, "\(route): \(answer.text)")
                    let words = Self.foreign.filter { answer.text.contains($0) }
                    #expect(words.isEmpty, "\(route) with \(body): \(answer.text)")
                }
            }
            let answer = try await server.request(
                .POST, "/v1/containers/CloudDocs/links",
                headers: [("Authorization", "Bearer \(device.token)"), ("Ubiquity-Protocol", "1")], body: "{}")
            #expect(answer.status == 400 && answer.text.contains("the field 'digest' is missing"), "\(answer.text)")
        }
    }

    @Test("a browser gets a page from any unknown address, whatever the method, and a program gets JSON")
    func unknown() async throws {
        try await withServer { server in
            let session = try await server.session()
            for path in [
                "/console/nowhere", "/console/nowhere/at/all", "/console/devices/5/nowhere", "/console/c/CloudDocs/no",
                "/console//x", "/nowhere", "/p/a/b",
            ] {
                for (method, cookie) in [(HTTPMethod.GET, session), (.GET, ""), (.POST, session)] {
                    let page = try await server.request(
                        method, path, headers: [("Accept", "text/html,*/*;q=0.8"), ("Cookie", cookie)])
                    #expect(page.status == 404, "\(method) \(path): \(page.status)")
                    #expect(page["Content-Type"] == "text/html; charset=utf-8", "\(path)")
                    #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
                    #expect(page.text.contains("<h1>Not found</h1>"), "\(path)")
                    let program = try await server.request(method, path, headers: [("Cookie", cookie)])
                    #expect(program["Content-Type"] == "application/json" && program.status == 404, "\(path)")
                }
            }
            let style = try await server.request(
                .GET, "/console/nowhere/at/all", headers: [("Accept", "text/html")]
            ).text.firstMatch(of: /href="([^"]*style.css)"/)?.1
            #expect(style == "../../../console/style.css")
            let interface = try await server.request(.GET, "/v1/nowhere", headers: [("Accept", "text/html")])
            #expect(interface["Content-Type"] == "application/json")
        }
    }
}
