import ArgumentParser
import ServerStorage

struct MetricsTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics-token", abstract: "Print the token that gives access to /metrics.",
        discussion: "It is made when it is first needed. All processes of a cluster have the same.")

    @OptionGroup var place: PlaceOption

    func run() async throws {
        try await withStore(place) { print(try await $0.metricsToken()) }
    }
}
