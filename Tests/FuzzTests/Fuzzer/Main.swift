import Foundation

/// `fuzz TARGET [libFuzzer's options] [corpus …]`, or `fuzz seeds DIRECTORY` to write real encodings of every kind.
@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "list": for target in FuzzTarget.all { print(target.name) }
        case "seeds" where arguments.count == 3: try writeSeeds(to: arguments[2])
        case let name? where FuzzTarget.named(name) != nil: exit(Fuzzer.run(arguments.dropFirst()))
        default:
            print("Use `fuzz list`, `fuzz seeds DIRECTORY` or `fuzz TARGET [options] [corpus]`.")
            exit(64)
        }
    }

    private static func writeSeeds(to directory: String) throws {
        for target in FuzzTarget.all {
            let folder = URL(filePath: directory).appending(path: target.name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (number, seed) in try target.seeds().enumerated() {
                try Data(seed).write(to: folder.appending(path: "seed-\(number)"))
            }
        }
    }
}
