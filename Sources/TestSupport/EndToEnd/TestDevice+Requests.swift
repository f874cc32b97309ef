import Foundation

/// The kernel's requests to a device's daemon, and their cost.
extension TestDevice {
    private struct Counts: Decodable {
        let mount: String
        let requests: [String: Int]
        let requestsInProgress: Int
        let requestCosts: [String: Int]
    }

    /// Returns the counts since the mount.
    private func counts() async throws -> Counts {
        struct Response: Decodable { let mounts: [Counts] }
        // Without a path, because resolving it would itself send requests to the mount.
        let text = try await ubiquity(["diagnose", "--json"]).text()
        let mounts = try JSONDecoder().decode(Response.self, from: Data(text.utf8)).mounts
        guard let counts = mounts.first(where: { $0.mount == mount }) else {
            throw EndToEndError("\(mount) is not among the mounts: \(text)")
        }
        return counts
    }

    /// Returns the requests sent by the kernel because of a script in the documents folder, without those sent at any
    /// time to free memory, and the cost of the requests.
    package func requests(of script: String) async throws -> RequestTally {
        // After this the kernel has looked up the folder itself, and knows which requests are unnecessary.
        try await shell("stat . && ls ..")
        let before = try await settledCounts()
        try await shell(script)
        let after = try await settledCounts()
        func change(_ counts: KeyPath<Counts, [String: Int]>) -> [String: Int] {
            after[keyPath: counts].merging(before[keyPath: counts]) { $0 - $1 }.filter { $0.value != 0 }
        }
        let requests = change(\.requests).filter { !["forget", "batchForget"].contains($0.key) }
        return RequestTally(requests: requests, costs: change(\.requestCosts))
    }

    /// Returns the counts once every file is released and no handler runs; programs do not wait for the release.
    private func settledCounts() async throws -> Counts {
        var settled: Counts?
        try await eventually("every file that was opened is released") {
            let counts = try await counts()
            let opened = counts.requests["open", default: 0] + counts.requests["create", default: 0]
            guard opened == counts.requests["release", default: 0], counts.requestsInProgress == 0 else { return false }
            settled = counts
            return true
        }
        guard let settled else { throw EndToEndError("no counts") }
        return settled
    }
}
