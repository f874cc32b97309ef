import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Remote moves and renames, as seen by local programs.
    @Suite("Moves by another device")
    struct RemoteMoveTests {
        @Test(
            "a file, a placeholder and a folder that another device moves keep their presenters, each notified once"
        )
        func kinds() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d e; echo x > f; echo y > p; echo z > d/i")
                try await a.sync()
                try await b.sync()
                #expect(try await b.shell("cat f") == "x")
                try await b.presenting("f", name: "file") { file in
                    try await b.presenting("p", name: "placeholder") { placeholder in
                        try await b.presenting("d", name: "folder") { folder in
                            try await b.presenting(b.documents, name: "above") { above in
                                try await a.shell("mv f e/g")
                                try await file.says("moved g")
                                try await a.shell("mv p q")
                                try await placeholder.says("moved q")
                                try await a.shell("mv d e/h")
                                try await folder.says("moved h")
                                try await above.says("moved d to h")
                                #expect(
                                    above.notices
                                        == ["presenting", "moved f to g", "moved p to q", "moved d to h"])
                            }
                            #expect(folder.notices == ["presenting", "moved h"])
                        }
                        #expect(placeholder.notices == ["presenting", "moved q"])
                    }
                    #expect(file.notices == ["presenting", "moved g"])
                }
            }
        }

        @Test("a file that another device moves into a package and out of it keeps its presenter")
        func packages() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir k.rtfd; echo 1 > k.rtfd/a; echo x > f")
                try await a.sync()
                try await b.sync()
                try await b.presenting("f", name: "file") { file in
                    try await b.presenting("k.rtfd", name: "package") { package in
                        try await a.shell("mv f k.rtfd/g")
                        try await file.says("moved g")
                        try await package.says("appeared g")
                        try await a.shell("mv k.rtfd/g h")
                        try await file.says("moved h")
                        try await package.says("moved g to h")
                    }
                    #expect(file.notices == ["presenting", "moved g", "moved h"])
                }
            }
        }

        @Test("an open document follows its file, and is saved at the new place")
        func document() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir d; echo x > f")
                try await a.sync()
                try await b.sync()
                try await b.shell("cat f")
                try await b.showing("NoteTaker", "f", first: "open") { note in
                    try note.type("add y")
                    try await a.shell("mv f d/g")
                    try await note.says("moved: g")
                    try note.type("save")
                    try await eventually("the other device has it") { try await a.contents("d/g") == "x\ny" }
                }
                for device in [a, b] { #expect(try await device.list() == ["d"]) }
            }
        }

        @Test("a claim covers the new place of an item that another device moved")
        func claims() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("mkdir k.rtfd; echo 1 > k.rtfd/a; echo x > f")
                try await a.sync()
                try await b.sync()
                let go = "\(b.state)/go"
                try await b.showing("presenter-tool", "hold write f \(go)", first: "held f") { _ in
                    defer { _ = FileManager.default.createFile(atPath: go, contents: nil) }
                    try await a.shell("mv f k.rtfd/g")
                    try await eventually("it is there") { try await b.shell("ls k.rtfd") == "a\ng" }
                    let write = b.command(["coordinate", "write", "k.rtfd", "--timeout", "1"])
                    try await eventually("the package is held") {
                        try await b.tryShell("\(write) -- true").status == 5
                    }
                }
                #expect(try await b.tryShell("\(b.command(["coordinate", "write", "k.rtfd"])) -- true").succeeded)
            }
        }
    }
}
