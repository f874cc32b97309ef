import ArgumentParser
import DaemonProtocol

/// `ubiquity package-types`: shows or declares which folders of a container are packages, each a single document.
struct PackageTypesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package-types", abstract: "Show or declare which folders are packages: one document each.",
        discussion: """
            A package is synced as one document: other devices see all of a save at once, and if two devices change it both \
            versions are kept complete. Some extensions are packages everywhere; a container may declare others, for all of its \
            devices. Existing folders with such an extension become packages too.
            """)

    @Option(help: ArgumentHelp("The container whose types to show or change.", valueName: "name"))
    var container = "CloudDocs"

    @OptionGroup var mount: MountOption

    @Option(
        help: ArgumentHelp(
            "Declare folders with this extension to be packages; may be repeated.", valueName: "extension"))
    var add: [String] = []

    @Option(help: ArgumentHelp("Withdraw the declaration of this extension; may be repeated.", valueName: "extension"))
    var remove: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    private struct Document: Encodable {
        let format: Int
        let container: String
        let builtIn: [String]
        let declared: [String]
    }

    func run() throws {
        var connection = try DaemonConnection.open(try mount.record())
        let request = PackageTypesRequest(
            container: container, add: add.isEmpty ? nil : add, remove: remove.isEmpty ? nil : remove)
        let types = try connection.call(request)
        if json {
            let document = Document(
                format: StatusJSON.format, container: container, builtIn: types.builtIn, declared: types.declared)
            print(try StatusJSON.text(document))
        } else {
            for type in types.declared { print("\(type)\tdeclared") }
            for type in types.builtIn { print("\(type)\tbuilt in") }
        }
    }
}
