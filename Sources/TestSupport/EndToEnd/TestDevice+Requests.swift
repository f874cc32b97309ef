import Foundation

/// The requests that the kernel sends to a device's daemon.
extension TestDevice {
    /// Returns the number of requests since the mount, by the names of their operations.
    private func requests() async throws -> [String: Int] {
        struct Response: Decodable {
            struct Mount: Decodable {
                let mount: String
                let requests: [String: Int]
            }
            let mounts: [Mount]
        }
        // Without a path, because resolving one would itself send requests to the mount.
        let text = try await ubiquity(["diagnose", "--json"]).text()
        let mounts = try JSONDecoder().decode(Response.self, from: Data(text.utf8)).mounts
        guard let counts = mounts.first(where: { $0.mount == mount })?.requests else {
            throw EndToEndError("\(mount) is not among the mounts: \(text)")
        }
        return counts
    }

    /// Returns the requests that the kernel sends because of a script in the documents folder, without those that it sends at any time to
    /// free memory.
    package func requests(of script: String) async throws -> [String: Int] {
        // After this the kernel has looked up the folder itself.
        try await shell("true")
        let before = try await settledRequests()
        try await shell(script)
        let after = try await settledRequests()
        return after.reduce(into: [:]) { result, entry in
            let count = entry.value - (before[entry.key] ?? 0)
            if count != 0, !["forget", "batchForget"].contains(entry.key) { result[entry.key] = count }
        }
    }

    /// Returns the counts once every file is released; programs do not wait for the release.
    private func settledRequests() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        try await eventually("every file that was opened is released") {
            counts = try await requests()
            let opened = counts["open", default: 0] + counts["create", default: 0] + counts["opendir", default: 0]
            return opened == counts["release", default: 0] + counts["releasedir", default: 0]
        }
        return counts
    }
}
