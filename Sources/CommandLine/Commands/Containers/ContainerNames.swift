import ArgumentParser
import DaemonProtocol

/// `ubiquity container names`: shows or sets how the names in a container are compared.
struct ContainerNames: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names", abstract: "Show or set whether names that differ in case only are equal.",
        discussion: """
            In a container that ignores case, "Report.txt" and "report.TXT" are one name, on all devices: a second item of \
            such a name is not made (File exists), and of two that devices made independently the later gets a number. Names \
            keep the case in which they were written, and are opened in that case only. It can be set while the container is \
            empty, as for folders of ext4; a container that does not exist is made.
            """)

    @OptionGroup var mount: MountOption
    @Argument(help: "The container.") var name: String
    @Flag(help: "Compare names without case, and in all forms of Unicode.") var ignoreCase = false
    @Flag(help: "Compare names byte by byte.") var matchCase = false
    @Flag(help: "Print JSON.") var json = false

    private struct Document: Encodable {
        let format: Int
        let container: String
        let ignoresCase: Bool
        let isInCloud: Bool
    }

    func validate() throws {
        if ignoreCase && matchCase { throw ValidationError("--ignore-case and --match-case exclude each other.") }
    }

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record())
        let names = try connection.call(
            ContainerNamesRequest(container: name, ignoresCase: ignoreCase || matchCase ? ignoreCase : nil))
        if json {
            let document = Document(
                format: StatusJSON.format, container: name, ignoresCase: names.ignoresCase, isInCloud: names.isInCloud)
            return print(try StatusJSON.text(document))
        }
        print(
            "\(name)\t\(names.ignoresCase ? "ignores case" : "matches case")\(names.isInCloud ? "" : ", not sent yet")")
    }
}
