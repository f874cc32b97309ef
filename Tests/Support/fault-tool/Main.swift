import Faults
import Glibc

/// A process that acts for the fault tests, so that a hanging call does not hang the test itself.
@main
enum FaultTool {
    static func main() {
        let arguments = CommandLine.arguments
        // Under the name `ubiquityd`, beside `ubiquity`, this program takes the place of the daemon.
        if arguments[0].hasSuffix("/ubiquityd") { fail(Launch.become(arguments)) }
        do {
            switch (arguments.dropFirst().first, Array(arguments.dropFirst(2))) {
            case ("perform", let words) where words.count > 2: try perform(words[0], words[1], words.dropFirst(2))
            case ("storm", let words) where words.count == 4: try storm(words[0], words[1], words[2], words[3])
            case ("look", let words) where words.count == 1: try look(words[0])
            case ("examine", let paths): for path in paths { print(words(FolderLook.examine(path))) }
            case ("race", let words) where words.count == 3:
                Race.read(words[0], opens: Int(words[1]) ?? 0, generations: Int(words[2]) ?? 0)
            case ("save", let words) where words.count == 4:
                try Race.save(words[0], words[1], words[2], pause: UInt32(words[3]) ?? 0)
            case ("sample", let words) where words.count == 2:
                var sampler = try Sampler(record: words[0], folder: words[1])
                try sampler.run()
            default: fail("perform, storm, look, save, race or sample, each with its arguments")
            }
        } catch {
            fail("\(error)")
        }
    }

    static func fail(_ message: String) -> Never {
        _ = "fault-tool: \(message)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(1)
    }

    /// Performs all operations in order, even after a failure.
    ///
    /// - Throws: The first failure.
    private static func perform(_ record: String, _ folder: String, _ actions: some Sequence<String>) throws {
        let recorder = try Recorder(path: record)
        var failures: [Failure] = []
        for text in actions {
            guard let action = FaultOperation(text) else { fail("\(text) is no deed") }
            do { try action.perform(in: folder, recorder: recorder) } catch { failures.append(error) }
        }
        if let first = failures.first { throw first }
    }

    /// Performs random operations until one fails or `count` are done.
    private static func storm(_ record: String, _ folder: String, _ seed: String, _ count: String) throws {
        let recorder = try Recorder(path: record)
        var storm = Storm(seed: UInt64(seed) ?? 1, name: seed)
        for _ in 0..<(Int(count) ?? 0) { try storm.next().perform(in: folder, recorder: recorder) }
    }

    /// Prints the contents of each file below a folder.
    private static func look(_ folder: String) throws {
        var folders = [""]
        while let inner = folders.popLast() {
            for name in try FolderLook.names("\(folder)/\(inner)") {
                let path = inner.isEmpty ? name : "\(inner)/\(name)"
                var information = stat()
                guard lstat("\(folder)/\(path)", &information) == 0 else {
                    throw Failure(call: "lstat \(path)", code: errno)
                }
                if information.st_mode & S_IFMT == S_IFDIR {
                    folders.append(path)
                } else {
                    print("\(path)\t\(words(FolderLook.examine("\(folder)/\(path)")))")
                }
            }
        }
    }

    private static func words(_ result: Result<Document.Finding, Failure>) -> String {
        switch result {
        case .success(let finding): finding.words
        case .failure(let failure): "error \(failure)"
        }
    }
}
