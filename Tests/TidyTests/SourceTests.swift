import Foundation
import Testing

/// Checks house rules that the compiler does not know.
@Suite("Sources")
struct SourceTests {
    private struct Ban: Sendable {
        let pattern: String
        let reason: String
        /// Prefixes of paths that the ban does not apply to.
        var except: [String] = []
    }

    private static let bans = [
        Ban(pattern: #"\btry!"#, reason: "an error would crash the program"),
        Ban(pattern: #"\bas!"#, reason: "a wrong type would crash the program"),
        Ban(pattern: #"\bfatalError\("#, reason: "input must never crash the program"),
        Ban(
            pattern: #"\bThread\.sleep\b|\busleep\(|\bnanosleep\("#, reason: "wait for an event, not for time",
            // Signals wake a thread in a system call until it has noticed one; there is no event to wait for.
            except: ["Sources/FileSystem/Fuse/Session/FuseReaders.swift"]),
        Ban(
            pattern: #"\bd_name\b"#, reason: "an entry is shorter than that field: use its name",
            // The second one needs no copy, and its module depends on no other.
            except: [
                "Sources/Model/Basics/UnsafeMutablePointer+DirectoryEntry.swift",
                "Sources/TestSupport/Faults/FolderLook.swift",
            ]),
        Ban(
            pattern: #"Mutex<\(.*->"#,
            reason: "each reading wraps the function once more: a Hook, or a struct around it"),
        Ban(
            pattern: #"^\s*(debugP|dumpP|p)rint\("#, reason: "only command lines print",
            except: ["Sources/CommandLine/", "Sources/Server/ubiquity-server/"]),
        Ban(
            pattern: #"hasPrefix\("(http|s3)|case "(https?|s3)""#, reason: "CloudKind knows the kinds of addresses",
            // A server's own address, and links of a bucket.
            except: [
                "Sources/Protocols/DaemonProtocol/CloudKind.swift", "Sources/Server/",
                "Sources/Cloud/HTTPCloud/DirectLink.swift",
            ]),
        Ban(
            pattern: #"^\s*public "#, reason: "modules share by package access",
            // The modules that other people's programs import.
            except: ["Sources/App/"]),
    ]

    /// Returns the line without a comment at its end, because the rules are about code.
    private static func code(_ line: Substring) -> Substring {
        line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    }

    @Test("no file in Sources makes a banned call")
    func bans() throws {
        for ban in Self.bans {
            let pattern = try Regex(ban.pattern)
            for file in Repository.files(below: "Sources", ending: [".swift"])
            where !ban.except.contains(where: { file.path.hasPrefix($0) }) {
                for (number, line) in file.lines.enumerated() where Self.code(line).contains(pattern) {
                    Issue.record("\(file):\(number + 1) \(ban.reason): \(line)")
                }
            }
        }
    }

    @Test("unchecked concurrency gives its reason on the line above")
    func unchecked() {
        for file in Repository.files(below: "Sources", ending: [".swift"]) {
            for (number, line) in file.lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let above = number > 0 ? file.lines[number - 1].drop { $0 == " " } : ""
                #expect(above.hasPrefix("//"), "\(file):\(number + 1) has no reason above it")
            }
        }
    }

    @Test("no comment puts work off")
    func putOff() throws {
        // Each word is split in two, so that this file passes too.
        let halves = [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK")]
        let words = try Regex("\\b(\(halves.map { $0 + $1 }.joined(separator: "|")))\\b")
        for file in Repository.files(ending: [".swift", ".sh", "Makefile", ".h"]) {
            for (number, line) in file.lines.enumerated() where line.contains(words) {
                Issue.record("\(file):\(number + 1) puts something off: \(line)")
            }
        }
    }

    @Test("no file is longer than 400 lines")
    func length() {
        for file in Repository.files(ending: [".swift"]) where file.path != "Package.swift" {
            #expect(file.lines.count <= 401, "\(file) has \(file.lines.count - 1) lines: find the second idea in it")
        }
    }

    @Test("no file names a path on the machine it was written on")
    func machinePaths() throws {
        let places = try Regex("(^|[^A-Za-z0-9_.~-])/" + "(work|root)/")
        for file in Repository.files(ending: [".swift", ".md", ".sh", ".h", "Makefile", ".service", "run", ".yml"]) {
            for (number, line) in file.lines.enumerated() where line.contains(places) {
                Issue.record("\(file):\(number + 1) names a path of one machine: \(line)")
            }
        }
    }
}
