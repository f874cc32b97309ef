import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Storage by container")
    struct StorageTests {
        private struct Report: Decodable {
            struct Container: Decodable {
                struct Area: Decodable {
                    let name: String
                    let isDocuments: Bool
                    let files, localBytes, cloudBytes: Int
                }

                let name: String
                let areas: [Area]
                let versionBytes: Int
            }

            let containers: [Container]
        }

        private func report(_ device: TestDevice) async throws -> Report {
            try JSONDecoder().decode(
                Report.self,
                from: Data(try await device.ubiquity(["storage", "--json", "--mount", device.mount]).text().utf8))
        }

        private func area(_ device: TestDevice, _ container: String, _ name: String) async throws -> String {
            let report = try await report(device)
            let area = report.containers.first { $0.name == container }?.areas.first { $0.name == name }
            return area.map { "\($0.files) files, \($0.localBytes) here, \($0.cloudBytes) in the cloud" } ?? "none"
        }

        @Test(
            "sizes are shown by container and area, local and in the cloud; a program's data can be deleted separately from its documents, and restored"
        )
        func sizes() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    """
                    mkdir ../../com~example~app; cd ../../com~example~app; mkdir -p Data/deep
                    head -c 1000 /dev/urandom > Documents/f; head -c 300 /dev/urandom > Data/g
                    head -c 200 /dev/urandom > Data/deep/h
                    """)
                try await a.sync()
                #expect(try await area(a, "com.example.app", "Documents") == "1 files, 1000 here, 1000 in the cloud")
                #expect(try await area(a, "com.example.app", "Data") == "2 files, 500 here, 500 in the cloud")
                try await eventually("B has it, without its bytes") {
                    try await area(b, "com.example.app", "Data") == "2 files, 0 here, 500 in the cloud"
                }
                let text = try await b.ubiquity(["storage", "--mount", b.mount]).text()
                #expect(
                    text.contains("com.example.app") && text.contains("Data") && text.contains("CloudDocs"), "\(text)")
                try await a.shell("head -c 700 /dev/urandom > ../../com~example~app/Documents/f")
                try await a.sync()
                let report = try await report(a)
                #expect(report.containers.first { $0.name == "com.example.app" }?.versionBytes == 1_000)

                let asked = try await b.ubiquity(["storage", "--delete-data", "com.example.app", "--mount", b.mount])
                #expect(asked.status == 6 && asked.errors.contains("--yes"), "\(asked)")
                let deleted = try await b.ubiquity([
                    "storage", "--delete-data", "com.example.app", "--yes", "--mount", b.mount,
                ]).text()
                #expect(deleted.hasPrefix("Deleted 2 files"), "\(deleted)")
                try await eventually("A lacks it, and has the document") {
                    try await a.tryShell("cd ../../com~example~app; test ! -e Data && test -e Documents/f").succeeded
                }
                let again = try await b.ubiquity([
                    "storage", "--delete-data", "com~example~app", "--yes", "--mount", b.mount,
                ])
                #expect(again.status == 6, "\(again)")
                _ = try await b.ubiquity(["restore", "\(b.mount)/com~example~app/Data"]).text()
                try await eventually("A has it again") {
                    try await a.tryShell("test $(cat ../../com~example~app/Data/deep/h | wc -c) = 200").succeeded
                }
            }
        }
    }
}
