import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport

/// A headless Chromium, driven over WebDriver (w3.org/TR/webdriver2).
final class Browser: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let driver: Process
    private let base: String
    private let session: String

    /// Runs `body` with a new browser of the given width and height in pixels.
    static func with(
        width: Int = 1_100, height: Int = 800, script: Bool = true, dark: Bool = false,
        _ body: (Browser) async throws -> Void
    ) async throws {
        let browser = try await Browser(width: width, height: height, script: script, dark: dark)
        do { try await body(browser) } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }

    private init(width: Int, height: Int, script: Bool, dark: Bool) async throws {
        driver = Process()
        let port = try Loopback.reservePort()
        base = "http://127.0.0.1:\(port)"
        // A process started by Foundation inherits the signal mask of the calling thread, and Chromium does not start
        // with signals blocked.
        driver.executableURL = URL(filePath: "/usr/bin/perl")
        driver.arguments = [
            "-MPOSIX", "-e", "sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV", "/usr/bin/chromedriver",
            "--port=\(port)", "--log-level=SEVERE",
        ]
        driver.standardOutput = FileHandle.nullDevice
        try driver.run()
        while true {
            do {
                _ = try await Self.send(.GET, "\(base)/status", nil)
                break
            } catch {
                guard driver.isRunning else { throw Failure(description: "chromedriver has ended: \(error)") }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        // Root has no user namespace for the sandbox. The browser shows only pages of this test.
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--window-size=\(max(width, 500)),\(height)",
        ]
        if dark { arguments.append("--blink-settings=preferredColorScheme=0") }
        var options: [String: Any] = ["args": arguments]
        if !script { options["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
        if width < 500 {
            options["mobileEmulation"] = ["deviceMetrics": ["width": width, "height": height, "pixelRatio": 2.0]]
        }
        let capabilities: [String: Any] = [
            "capabilities": ["alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": options]]
        ]
        let body = try JSONSerialization.data(withJSONObject: capabilities)
        let answer: Any
        do { answer = try await Self.send(.POST, "\(base)/session", body) } catch {
            end(driver)
            throw error
        }
        guard let id = (answer as? [String: Any])?["sessionId"] as? String else {
            end(driver)
            throw Failure(description: "no session: \(answer)")
        }
        session = "\(base)/session/\(id)"
    }

    private func close() async {
        // The browser's process is ended below, whatever the result of this request.
        _ = try? await Self.send(.DELETE, session, nil)
        end(driver)
    }

    func open(_ url: String) async throws { _ = try await command("url", ["url": url]) }

    func url() async throws -> String { try await Self.send(.GET, "\(session)/url", nil) as? String ?? "" }

    func click(_ selector: String) async throws { _ = try await command("element/\(find(selector))/click") }

    func type(_ text: String, into selector: String) async throws {
        _ = try await command("element/\(find(selector))/value", ["text": text])
    }

    /// Returns the element's visible text.
    func text(_ selector: String = "body") async throws -> String {
        try await Self.send(.GET, "\(session)/element/\(find(selector))/text", nil) as? String ?? ""
    }

    func count(_ selector: String) async throws -> Int {
        let found = try await command("elements", ["using": "css selector", "value": selector])
        return (found as? [Any])?.count ?? 0
    }

    @discardableResult
    func run(_ script: String) async throws -> String {
        let answer = try await command("execute/sync", ["script": script, "args": [String]()])
        return "\(answer)"
    }

    /// Adds a virtual authenticator with automatic consent (WebAuthn Level 2, 11).
    func addAuthenticator() async throws {
        _ = try await command(
            "webauthn/authenticator",
            [
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
                "isUserVerified": true,
            ])
    }

    /// Returns the value of a cookie, even if scripts cannot read it.
    func cookie(_ name: String) async throws -> String? {
        let answer = try? await Self.send(.GET, "\(session)/cookie/\(name)", nil)
        return (answer as? [String: Any])?["value"] as? String
    }

    /// Waits until the element contains `text`.
    func waitFor(_ text: String, in selector: String = "main") async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        var last = ""
        while ContinuousClock.now < deadline {
            // The request may fail while the page changes.
            last = (try? await self.text(selector)) ?? ""
            if last.contains(text) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "the page never said \"\(text)\" but: \(last)")
    }

    /// Saves a screenshot to the folder in SCREENSHOTS, for people to look at.
    func screenshot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["SCREENSHOTS"],
            let text = try await Self.send(.GET, "\(session)/screenshot", nil) as? String,
            let data = Data(base64Encoded: text)
        else { return }
        try data.write(to: URL(filePath: folder).appending(path: "\(name).png"))
    }

    private func find(_ selector: String) async throws -> String {
        let found = try await command("element", ["using": "css selector", "value": selector])
        guard let id = (found as? [String: Any])?.values.first as? String else {
            throw Failure(description: "there is no \(selector)")
        }
        return id
    }

    private func command(_ path: String, _ body: [String: Any] = [:]) async throws -> Any {
        try await Self.send(.POST, "\(session)/\(path)", try JSONSerialization.data(withJSONObject: body))
    }

    private static func send(_ method: HTTPMethod, _ url: String, _ body: Data?) async throws -> Any {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await answer.body.collect(upTo: 64 << 20)
        let json = try JSONSerialization.jsonObject(with: Data(Array(buffer: bytes))) as? [String: Any]
        let value = json?["value"] ?? ""
        guard (200..<300).contains(answer.status.code) else { throw Failure(description: "\(url): \(value)") }
        return value
    }
}

/// Kills the driver in any state and waits for its exit.
private func end(_ driver: Process) {
    kill(driver.processIdentifier, SIGKILL)
    driver.waitUntilExit()
}
