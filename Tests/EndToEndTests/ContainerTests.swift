import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The folders in the mount's root.
    @Suite("Containers")
    struct ContainerTests {
        private func root(_ device: TestDevice) async throws -> String { try await device.shell("ls ../..") }

        @Test("a container without documents is removed on all devices, and returns when a program makes it again")
        func remove() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir ../../Work; echo x > ../../Work/Documents/x")
                try await eventually("B has it") { try await b.tryShell("cat ../../Work/Documents/x").output == "x\n" }
                #expect(try await a.tryShell("rmdir ../../Work").errors.contains("Directory not empty"))
                #expect(try await a.tryShell("rmdir ../../CloudDocs").errors.contains("Operation not permitted"))
                try await b.shell("rm ../../Work/Documents/x; rmdir ../../Work")
                #expect(try await root(b) == "CloudDocs")
                try await b.sync()
                try await eventually("A lacks it") { try await root(a) == "CloudDocs" }
                for device in [a, b] {
                    try await device.restart()
                    #expect(try await root(device) == "CloudDocs")
                    #expect(try await device.ubiquity(["check", device.mount]).text().contains("0 problems"))
                }
                try await a.shell("mkdir ../../Work; echo again > ../../Work/Documents/y")
                try await eventually("B has it again") {
                    try await b.tryShell("cat ../../Work/Documents/y").output == "again\n"
                }
            }
        }

        @Test(
            "a document that was created while the container was removed elsewhere makes the container visible again on all devices"
        )
        func race() async throws {
            try await TestDevices.withTwo { cloud, a, b in
                try await a.shell("mkdir ../../Work")
                try await a.sync()
                try await eventually("B has it") { try await root(b) == "CloudDocs\nWork" }
                try cloud.goOffline()
                try await a.shell("rmdir ../../Work")
                try await b.shell("echo new > ../../Work/Documents/n")
                try cloud.goOnline()
                try await a.sync()
                try await b.sync()
                for device in [a, b] {
                    try await eventually("\(device.name) shows it") {
                        try await device.tryShell("cat ../../Work/Documents/n").output == "new\n"
                    }
                }
            }
        }

        @Test(
            "a container without documents can be renamed and used at once under the new name; one with documents cannot"
        )
        func rename() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir ../../Work")
                try await a.sync()
                try await eventually("B has it") { try await root(b) == "CloudDocs\nWork" }
                try await a.shell(
                    "mv -T ../../Work ../../Projects; echo p > ../../Projects/Documents/p; ls ../../Projects")
                #expect(try await root(a) == "CloudDocs\nProjects")
                try await eventually("B has it under its new name") {
                    try await b.tryShell("ls ../..; cat ../../Projects/Documents/p").output
                        == "CloudDocs\nProjects\np\n"
                }
                #expect(try await a.tryShell("mv -T ../../Projects ../../Other").errors.contains("Directory not empty"))
                try await a.restart()
                #expect(try await a.shell("cat ../../Projects/Documents/p") == "p")
                #expect(try await a.ubiquity(["check", a.mount]).text().contains("0 problems"))
                try await a.ubiquity(["container", "remove", "Projects", "--mount", a.mount])
                #expect(try await root(a) == "CloudDocs\nProjects", "it has a document")
                try await a.shell("rm ../../Projects/Documents/p")
                try await a.ubiquity(["container", "rename", "Projects", "Work", "--mount", a.mount]).text()
                #expect(try await a.ubiquity(["container", "list", "--mount", a.mount]).text() == "CloudDocs\nWork")
                try await a.ubiquity(["container", "remove", "Work", "--mount", a.mount]).text()
                #expect(try await root(a) == "CloudDocs")
            }
        }
    }
}
