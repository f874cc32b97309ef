import Foundation

/// What the kernel asked of a device's daemon.
extension TestDevice {
    /// Requests of the kernel by the names of their operations, since the mount.
    private func requests() async throws -> [String: Int] {
        struct Answer: Decodable {
            struct Mount: Decodable {
                let mount: String
                let requests: [String: Int]
            }
            let mounts: [Mount]
        }
        // Without a path: finding out what a path means would itself be asked of the mount.
        let text = try await ubiquity(["diagnose", "--json"]).text()
        let mounts = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).mounts
        guard let counts = mounts.first(where: { $0.mount == mount })?.requests else {
            throw EndToEndError("\(mount) is not among the mounts: \(text)")
        }
        return counts
    }

    /// What a script in the documents folder costs: the requests that it makes the kernel send, those left out that the kernel sends
    /// when it likes, to make room.
    package func requests(of script: String) async throws -> [String: Int] {
        // The folder itself is known from here on.
        try await shell("true")
        let before = try await settledRequests()
        try await shell(script)
        let after = try await settledRequests()
        return after.reduce(into: [:]) { result, entry in
            let count = entry.value - (before[entry.key] ?? 0)
            if count != 0, !["forget", "batchForget"].contains(entry.key) { result[entry.key] = count }
        }
    }

    /// The counts once every file is released: programs do not wait for that.
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
