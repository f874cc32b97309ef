import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The settings of mounts, and several accounts")
    struct MountSettingsTests {
        private func write(_ text: String, _ test: TestDevices) throws {
            let folder = "\(test.root)/home/.config/ubiquity"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/settings"))
        }

        @Test("the file of settings has defaults for a mount; a mistake in it refuses the mount, with its line")
        func file() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let (mount, state) = ("\(test.root)/M", "\(test.root)/S")
                let arguments = ["mount", mount, "--state", state]
                try write("cache-limit = 50M\n[\(mount)]\ncloud = \(test.cloud.url)\ndevice = tablet\n", test)
                try await test.a.ubiquity(arguments).text()
                let status = try await test.a.ubiquity(["status", mount]).text()
                #expect(status.contains("Device      tablet") && status.contains(test.cloud.url), "\(status)")
                #expect(status.contains("at most 50 MiB"), "\(status)")
                // The limit remains.
                try await test.a.ubiquity(["limit", "--mount", mount, "--cache", "off"]).text()
                try await test.a.ubiquity(["unmount", mount]).text()
                try await test.a.ubiquity(arguments).text()
                let later = try await test.a.ubiquity(["status", mount]).text()
                #expect(!later.contains("at most"), "\(later)")
                try await test.a.ubiquity(["unmount", mount]).text()
                try write("# x\ncache-limit = much\n", test)
                let wrong = try await test.a.ubiquity(arguments)
                #expect(wrong.status == 6 && wrong.errors.contains("settings, line 2"), "\(wrong)")
            }
        }

        @Test("one user has two accounts of one server, each with a mount; a code of the other account is refused")
        func accounts() async throws {
            try await ServerProcess.with { server in
                try await TestDevices.with(devices: ["A"]) { test in
                    let a = test.a
                    _ = try server.command(["account", "add", "Ben Müller"])
                    try await a.ubiquity(["login", server.url, "--code", server.code()]).text()
                    let code = try server.code(of: "Ben Müller")
                    let login = ["login", server.url, "--code", code]
                    let plain = try await a.ubiquity(login)
                    #expect(plain.status == 6 && plain.errors.contains("--account"), "\(plain)")
                    let other = try await a.ubiquity(login + ["--account", "carl"])
                    #expect(other.status == 6 && other.errors.contains("not of the account carl"), "\(other)")
                    let said = try await a.ubiquity(login + ["--account", "Ben Müller"]).text()
                    let seat = server.url.replacing("http://", with: "http://Ben%20M%C3%BCller@")
                    #expect(said.contains("as Ben Müller") && said.contains(seat), "\(said)")
                    for (name, options) in [("anna", []), ("ben", ["--account", "Ben Müller"])] {
                        let mount = "\(test.root)/\(name)"
                        try await a.ubiquity(
                            ["mount", mount, "--state", "\(test.root)/\(name)-state", "--cloud", server.url] + options
                        ).text()
                        try Data(name.utf8).write(to: URL(filePath: "\(mount)/CloudDocs/Documents/\(name)"))
                        try await a.ubiquity(["sync", "--wait", mount]).text()
                    }
                    let list = try server.command(["account", "list"])
                    #expect(list.contains("Ben Müller"), "\(list)")
                    for name in ["anna", "ben"] {
                        let files = try FileManager.default.contentsOfDirectory(
                            atPath: "\(test.root)/\(name)/CloudDocs/Documents")
                        #expect(files == [name])
                        try await a.ubiquity(["unmount", "\(test.root)/\(name)"]).text()
                    }
                    try await a.ubiquity(["logout", seat, "--yes"]).text()
                    try await a.ubiquity(["login", server.url, "--code", server.code()]).text()
                }
            }
        }
    }
}
