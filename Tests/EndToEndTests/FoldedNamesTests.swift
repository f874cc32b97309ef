import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Containers that ignore case")
    struct FoldedNamesTests {
        @Test("a container that ignores the case of names does so on every device, and keeps what both made apart")
        func twoDevices() async throws {
            try await TestDevices.withTwo { _, a, b in
                let first = try await a.ubiquity(["container", "names", "Notes", "--ignore-case", "--mount", a.mount])
                #expect(try first.text().hasPrefix("Notes\tignores case"))
                try await a.sync()
                try await b.sync()
                let notes = (a: "\(a.mount)/Notes/Documents", b: "\(b.mount)/Notes/Documents")
                try await eventually("the container is on the other device") {
                    FileManager.default.fileExists(atPath: notes.b)
                }
                let names = try await b.ubiquity(["container", "names", "Notes", "--mount", b.mount]).text()
                #expect(names == "Notes\tignores case")

                try await a.shell("cd '\(notes.a)'; echo 1 > Report.txt; mkdir Plans; ln -s x Link")
                let refused = """
                    set +e; cd '\(notes.a)'; export LC_ALL=C; (echo 2 > report.txt) 2>&1; mkdir PLANS 2>&1; ln -s y link 2>&1
                    echo 3 > other; mv other REPORT.TXT 2>&1; ls
                    """
                let text = try await a.tryShell(refused).output
                #expect(text.components(separatedBy: "File exists").count == 5, "\(text)")
                #expect(text.hasSuffix("Link\nPlans\nReport.txt\nother\n"), "\(text)")
                try await a.shell(
                    "cd '\(notes.a)'; mv Report.txt REPORT.txt; mv Plans plans; rm other; echo 4 > plans/a")
                #expect(try await a.shell("cd '\(notes.a)'; ls; cat REPORT.txt") == "Link\nREPORT.txt\nplans\n1")

                // Both create names equal but for case, before learning of each other's.
                try await a.ubiquity(["offline", a.mount]).text()
                try await a.shell("cd '\(notes.a)'; echo a > Both.txt")
                try await b.shell("cd '\(notes.b)'; echo b > BOTH.TXT")
                try await b.sync()
                try await a.ubiquity(["online", a.mount]).text()
                try await a.sync()
                try await b.sync()
                let expected = "4\na\nb"
                for (device, folder) in [(a, notes.a), (b, notes.b)] {
                    try await eventually("both are on \(device.mount)") {
                        try await device.shell("cd '\(folder)'; cat plans/a Both*.txt BOTH*.TXT 2>&1 || true")
                            == expected
                    }
                }

                let late = try await a.ubiquity(["container", "names", "Notes", "--match-case", "--mount", a.mount])
                #expect(late.status != 0 && late.errors.contains("is not empty"), "\(late.errors)")
            }
        }

        @Test(
            "a container that ignores the case of names does so after a reset, which rebuilds its state from the cloud")
        func reset() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.ubiquity(["container", "names", "Notes", "--ignore-case", "--mount", a.mount]).text()
                try await a.sync()
                let notes = "\(a.mount)/Notes/Documents"
                try await a.shell("cd '\(notes)'; echo 1 > Report.txt; mkdir Plans; echo 22 > Plans/One")
                try await a.sync()
                // This setting is made just before, so that the reset sends it.
                try await a.ubiquity(["container", "names", "Unsent", "--ignore-case", "--mount", a.mount]).text()
                let said = try await a.ubiquity(["reset", a.mount, "--yes"]).text()
                #expect(said.contains("rebuilt this device's state from the cloud because a reset was requested."))
                // Sizes, not contents: a test run in the scheduler's idle class may not download the files it reads.
                let list = "cd '\(notes)' && find . -type f -printf '%P %s\\n' | sort"
                try await eventually("all is back") {
                    try await a.tryShell(list).output == "Plans/One 3\nReport.txt 2\n"
                }
                for name in ["Notes", "Unsent"] {
                    let names = try await a.ubiquity(["container", "names", name, "--mount", a.mount]).text()
                    #expect(names == "\(name)\tignores case")
                }
                let refused = """
                    set +e; cd '\(notes)'; export LC_ALL=C
                    (echo 3 > report.txt) 2>&1; mkdir PLANS 2>&1; (echo 4 > Plans/one) 2>&1
                    cd ../../Unsent/Documents; echo 5 > a; mkdir A 2>&1
                    """
                let text = try await a.tryShell(refused).output
                #expect(text.components(separatedBy: "File exists").count == 5, "\(text)")
                let renamed = try await a.shell("cd '\(notes)'; mv Report.txt report.txt; \(list)")
                #expect(renamed == "Plans/One 3\nreport.txt 2")
                try await a.sync()
            }
        }
    }
}
