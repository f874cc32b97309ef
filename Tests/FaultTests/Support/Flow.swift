import Faults
import Glibc
import TestSupport

/// A device's activity, disturbed at each of its system calls. `number` gives each repetition its own documents.
struct Flow: CustomStringConvertible, Sendable {
    let description: String
    /// Prepares the activity, without faults.
    let prepare: @Sendable (_ bench: FaultBench, _ number: Int) async throws -> Void
    /// Performs the activity while faults are injected: programs may fail, and must return an error then.
    let act: @Sendable (_ bench: FaultBench, _ number: Int) async throws -> Void

    private static func saves(_ name: String, _ action: @escaping @Sendable (String, Int) -> FaultOperation) -> Flow {
        Flow(description: name) { bench, number in
            try await bench.perform([
                .write(path: "doc", generation: 2 * number), .write(path: "old\(number)", generation: 1),
            ])
        } act: { bench, number in
            try await bench.perform([
                action("doc", 2 * number + 1), action("new\(number)", 1), action("old\(number)", 2),
            ])
        }
    }

    static let opening = Flow(description: "open") { bench, number in
        try await bench.perform([.write(path: "open\(number)", generation: 1)])
        try await bench.victim.sync()
    } act: { bench, number in
        let path = bench.victim.path("open\(number)")
        let script = "cat \(path) > /dev/null; exec 3<>\(path); exec 3>&-; : >> \(path)"
        _ = try await bench.victim.runner.run("bash", ["-c", script], in: "/")
    }

    static let upload = Flow(description: "upload") { bench, number in
        try await bench.perform([
            .write(path: "up\(number)", generation: 1), .replace(path: "up", generation: number),
            .write(path: "big", generation: number),
        ])
    } act: { bench, _ in
        let synced = try await bench.victim.ubiquity(["sync", "--wait", "--timeout", "30", bench.victim.mount])
        if synced.succeeded { bench.ledger.noteUploaded() }
    }

    static let download = Flow(description: "download") { bench, number in
        try await bench.perform(
            [.write(path: "down\(number)", generation: 1), .write(path: "bigdown", generation: number)],
            on: bench.observer)
        try await bench.observer.sync()
        try await eventually("the victim knows of it") {
            try await bench.victim.run("stat", bench.victim.path("down\(number)")).succeeded
        }
        try await bench.victim.sync()
    } act: { bench, number in
        _ = try await bench.victim.runner.run(
            "cat", ["down\(number)", "bigdown"].map(bench.victim.path), in: "/")
        _ = try await bench.victim.ubiquity(["download", "--wait", "--timeout", "30", bench.victim.path("bigdown")])
    }

    static let evict = Flow(description: "evict") { bench, number in
        try await bench.perform([
            .write(path: "gone\(number)", generation: 1), .write(path: "biggone", generation: number),
        ])
        try await bench.victim.sync()
    } act: { bench, number in
        _ = try await bench.victim.ubiquity(["evict", bench.victim.path("gone\(number)"), bench.victim.path("biggone")])
    }

    static let rename = Flow(description: "rename") { bench, number in
        try await bench.perform([
            .write(path: "from\(number)", generation: 1), .write(path: "over\(number)", generation: 1),
            .write(path: "under\(number)", generation: 1), .write(path: "away\(number)", generation: 1),
        ])
    } act: { bench, number in
        try await bench.perform([
            .move(from: "from\(number)", to: "to\(number)"), .move(from: "over\(number)", to: "under\(number)"),
            .remove(path: "away\(number)"),
        ])
    }

    /// The flows to disturb: all, or the named flow (`make faults FLOW=upload`).
    static var chosen: [Flow] {
        guard let name = getenv("FAULTS_FLOW").map({ String(cString: $0) }) else { return all }
        return all.filter { $0.description == name }
    }

    private static let all: [Flow] = [
        opening, saves("save") { .write(path: $0, generation: $1) },
        saves("save with fsync") { .sync(path: $0, generation: $1) },
        saves("save by rename") { .replace(path: $0, generation: $1) }, upload, download, evict, rename,
    ]
}
