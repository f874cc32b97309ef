import ArgumentParser
import DaemonProtocol
import FoundationEssentials
import Glibc

/// `ubiquity kv`: a container's key-value store, with small settings shared by every device.
struct KeyValueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kv", abstract: "Read and write settings that every device shares.",
        discussion: """
            Each container has a store of at most 1,024 keys and 1 MiB. Written values are durable on this device at once, and \
            other devices receive them through the cloud; the last write of a key wins. Programs use it through \
            NSUbiquitousKeyValueStore.
            """,
        subcommands: [
            KeyValueGet.self, KeyValueSet.self, KeyValueRemove.self, KeyValueList.self, KeyValueWatch.self,
        ])
}

/// The option selecting a store.
struct KeyValueStoreChoice: ParsableArguments {
    @Option(help: ArgumentHelp("The container of the store.", valueName: "name"))
    var container = "CloudDocs"

    @OptionGroup var mount: MountOption

    func connect() throws -> DaemonConnection {
        try DaemonConnection.open(try mount.record())
    }

    /// Throws if a store is empty because its container does not exist.
    func requireContainer(_ connection: inout DaemonConnection) throws {
        let status = try connection.call(StatusRequest())
        guard !status.mount.containers.contains(container.replacing("~", with: ".")) else { return }
        throw CommandFailure(
            .failed, "there is no container \(printable(container))",
            advice: "\"ubiquity container list\" lists the containers.")
    }

    static func values(
        _ request: KeyValuesRequest, _ connection: inout DaemonConnection
    ) throws -> [String: PropertyValue] {
        let answer = try connection.call(request)
        return try answer.values.mapValues { data in
            do { return try PropertyValue(decoding: data) } catch {
                throw CommandFailure(.failed, "a value cannot be read (\(error))", advice: "Update ubiquity.")
            }
        }
    }
}

struct KeyValueGet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a key: text as it is, anything else as JSON.")

    @OptionGroup var store: KeyValueStoreChoice
    @Argument var key: String
    @Flag(help: "Print text as JSON, too.") var json = false

    func run() throws {
        var connection = try store.connect()
        let request = KeyValuesRequest(container: store.container, keys: [key])
        guard let value = try KeyValueStoreChoice.values(request, &connection)[key] else {
            try store.requireContainer(&connection)
            throw CommandFailure(
                .failed, "there is no key \(printable(key))", advice: "\"ubiquity kv list\" lists the keys.")
        }
        if case .text(let text) = value, !json { print(text) } else { print(try FoundOutput.line(value)) }
    }
}

struct KeyValueSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Write a key.",
        discussion: "VALUE is text, or with --json any JSON, {\"$data\": base64} and {\"$date\": ISO 8601} included.")

    @OptionGroup var store: KeyValueStoreChoice
    @Argument var key: String
    @Argument var value: String
    @Flag(help: "VALUE is JSON.") var json = false

    func run() throws {
        guard let bytes = try parsed().encoded() else {
            throw CommandFailure(.failed, "the value is nested too deep")
        }
        var connection = try store.connect()
        let request = SetKeyValuesRequest(container: store.container, set: [key: Data(bytes)])
        _ = try connection.call(request)
    }

    private func parsed() throws -> PropertyValue {
        guard json else { return .text(value) }
        do { return try JSONDecoder().decode(PropertyValue.self, from: Data(value.utf8)) } catch {
            throw ValidationError("VALUE is not JSON that a store can hold.")
        }
    }
}

struct KeyValueRemove: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove keys.")

    @OptionGroup var store: KeyValueStoreChoice
    @Argument var keys: [String]

    func run() throws {
        var connection = try store.connect()
        _ = try connection.call(SetKeyValuesRequest(container: store.container, remove: keys))
    }
}

struct KeyValueList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print all keys with their values, as JSON.")

    @OptionGroup var store: KeyValueStoreChoice

    func run() throws {
        var connection = try store.connect()
        let values = try KeyValueStoreChoice.values(KeyValuesRequest(container: store.container), &connection)
        if values.isEmpty { try store.requireContainer(&connection) }
        print(try StatusJSON.text(values))
    }
}

struct KeyValueWatch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print keys as others change them, until Ctrl-C.",
        discussion: "A line of JSON for each change: the reason, and the keys with their values; null for removed ones."
    )

    @OptionGroup var store: KeyValueStoreChoice

    private struct Line: Encodable {
        let reason: KeyValueEvent.Reason
        let values: [String: PropertyValue?]
    }

    func run() throws {
        var events = try store.connect()
        // One connection receives events, the other one can send requests.
        var connection = try store.connect()
        let (container, choice) = (store.container, KeyValueStoreChoice.self)
        try events.follow(WatchKeyValuesRequest(container: container)) {
            event throws(CommandFailure) in
            guard case .keyValues(let change) = event else { return }
            // The first event has no keys: the watch has begun.
            guard !change.keys.isEmpty else {
                return Terminal.note("watching the keys of \(container); Ctrl-C ends it")
            }
            do {
                let values = try choice.values(KeyValuesRequest(container: container, keys: change.keys), &connection)
                let shown = Dictionary(uniqueKeysWithValues: change.keys.map { ($0, values[$0]) })
                print(try FoundOutput.line(Line(reason: change.reason, values: shown)))
                fflush(nil)
            } catch let failure as CommandFailure { throw failure } catch {
                throw CommandFailure(.failed, "the values cannot be read (\(error))")
            }
        }
    }
}
