import S3Client
import S3Double
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Bucket")
    struct BucketTests {
        @Test(
            "two devices sync through a bucket with credentials of their own login, which are kept for their user only")
        func sync() async throws {
            let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
            try await S3Double(credentials: credentials).serve(prefix: "documents") { location in
                let url = "\(location)"
                try await TestDevices.with(devices: ["A", "B"], cloud: url) { test in
                    let wrong = try await login(test.a, url, secret: "wrong")
                    #expect(wrong.status == 6 && wrong.errors.contains("does not accept the credentials"), "\(wrong)")
                    let right = try await login(test.a, url, secret: "secret")
                    #expect(right.succeeded && !right.output.contains("secret"), "\(right)")
                } _: { test in
                    let modes = try await test.a.shell("find $XDG_STATE_HOME/ubiquity/buckets -type f -printf '%m '")
                    #expect(modes == "600")
                    try await test.expectSameEverywhere(
                        "seq 1 200000 > numbers; mkdir d; for i in $(seq 20); do echo $i > d/$i; done")
                    try await test.b.shell("echo fromB > b; mv d e")
                    try await eventually("A shows B's changes") {
                        try await test.a.shell("cat b; ls e | wc -l") == "fromB\n20"
                    }
                    try await test.a.ubiquity(["logout", url, "--yes"]).text()
                    let again = try await test.a.ubiquity(["logout", url, "--yes"])
                    #expect(again.status == 1 && again.errors.contains("no credentials are kept"), "\(again)")
                }
            }
        }

        @Test("cloud policy prints JSON that allows a device no deletion, and refuses what is no bucket")
        func policy() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let policy = try await test.a.ubiquity(["cloud", "policy", "s3://bucket/documents"]).text()
                #expect(policy.contains("arn:aws:s3:::bucket/documents/*") && !policy.contains("Delete"))
                let collector = try await test.a.ubiquity(["cloud", "policy", "--collects", "s3://bucket/documents"])
                    .text()
                #expect(collector.contains("s3:DeleteObject"))
                let other = try await test.a.ubiquity(["cloud", "policy", "s3://key:secret@bucket"])
                #expect(!other.succeeded && !other.errors.contains("secret@"), "\(other)")
            }
        }

        private func login(_ device: TestDevice, _ url: String, secret: String) async throws -> ProgramOutcome {
            let script = "printf 'KEY\\n\(secret)\\n' | \(device.binaries)/ubiquity login '\(url)'"
            return try await device.runner.run("bash", ["-c", script], in: "/")
        }
    }
}
