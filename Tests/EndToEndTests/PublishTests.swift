import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Publishing")
    struct PublishTests {
        private let ubiquity: String

        init() throws { ubiquity = "\(try TestDevices.binaries())/ubiquity" }

        @Test("a link gives anyone the document as it was published, until it is withdrawn")
        func publish() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    try await test.a.shell("seq 1 300000 > numbers.txt")
                    let link = try await test.a.shell("\(ubiquity) publish numbers.txt --expires 1h 2> /dev/null")
                    #expect(link.hasPrefix("\(server.url)/p/"))
                    try await test.a.shell("echo other > numbers.txt")
                    try await test.a.sync()
                    #expect(
                        try await test.a.shell("curl -sS '\(link)' | sha256sum; seq 1 300000 | sha256sum")
                            .split(separator: "\n").map(String.init).reduce(into: Set()) { $0.insert($1) }.count == 1)
                    #expect(try await test.a.shell("curl -sS -r 0-2 '\(link)' | od -An -c | tr -d ' '") == "1\\n2")
                    let tool = "\(test.a.binaries)/presenter-tool"
                    let program = try await test.a.shell("\(tool) sync numbers.txt publish")
                    #expect(program.hasPrefix("\(server.url)/p/") && program.hasSuffix(" for 30 days"), "\(program)")
                    let list = try await test.a.shell("\(ubiquity) publish --list .")
                    #expect(list.contains("numbers.txt"))
                    try await test.a.shell("\(ubiquity) publish --withdraw 1 .")
                    #expect(try await test.a.shell("curl -s -o /dev/null -w '%{http_code}' '\(link)'") == "404")
                    let secret = try await test.a.shell(
                        "echo sesame | \(ubiquity) publish numbers.txt --password 2> /dev/null")
                    #expect(try await test.a.shell("curl -s -o /dev/null -w '%{http_code}' '\(secret)'") == "401")
                    #expect(try await test.a.shell("curl -s -u any:sesame '\(secret)'") == "other")
                }
            }
        }

        @Test("a link to a package serves one zip file with all of its contents")
        func package() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    try await test.a.shell(
                        "mkdir -p d.rtfd/in; seq 1 90000 > d.rtfd/numbers; echo y > d.rtfd/in/y; ln -s in/y d.rtfd/link"
                    )
                    let link = try await test.a.shell("\(ubiquity) publish d.rtfd 2> /dev/null")
                    try await test.a.shell("rm -r d.rtfd/in; echo other > d.rtfd/numbers")
                    try await test.a.sync()
                    let script = """
                        set -e; work=$(mktemp -d); cd $work; curl -sS -J -O '\(link)'; ls
                        python3 -m zipfile -t d.rtfd.zip > /dev/null; python3 -m zipfile -e d.rtfd.zip .
                        seq 1 90000 | cmp - d.rtfd/numbers; cat d.rtfd/in/y; cat d.rtfd/link; rm -r $work
                        """
                    #expect(try await test.a.shell(script) == "d.rtfd.zip\ny\nin/y")
                    #expect(try await test.a.shell("\(ubiquity) publish --list .").contains("d.rtfd.zip"))
                }
            }
        }

        @Test("a device that is asked in the console to reset itself does so once, and keeps every document")
        func resetFromConsole() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"], cloud: server.url) { test in
                    try await test.a.ubiquity(["login", server.url, "--code", server.code()]).text()
                } _: { test in
                    try await test.a.shell("echo kept > a.txt")
                    try await test.a.sync()
                    let script = """
                        set -e; jar=$(mktemp); console=\(server.url)/console
                        field() { sed -n 's/.*name="token" value="\\([a-z0-9]*\\)".*/\\1/p' | tail -n 1; }
                        token=$(curl -sS -c $jar $console/sign-in | field)
                        curl -sS -b $jar -c $jar -d "token=$token" -d code=\(try server.code()) $console/sign-in
                        token=$(curl -sS -b $jar $console/devices/1/reset | field)
                        curl -sS -o /dev/null -w '%{http_code}' -b $jar -d "token=$token" $console/devices/1/reset
                        """
                    #expect(try await test.a.shell(script) == "303")
                    try await eventually("the device has reset itself") {
                        try await test.a.shell("cd /; \(ubiquity) status --json").contains("\"rebuild\"")
                    }
                    try await eventually("its documents are there") { try await test.a.contents("a.txt") == "kept" }
                }
            }
        }

        @Test("publishing from a cloud in a directory fails with a message that says so")
        func directory() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo x > a.txt")
                let outcome = try await test.a.shell("\(ubiquity) publish a.txt 2>&1 || echo status $?")
                #expect(outcome.contains("cannot publish") && outcome.hasSuffix("status 1"))
            }
        }
    }
}
