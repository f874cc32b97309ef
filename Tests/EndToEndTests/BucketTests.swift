import Basics
import Chunking
import CloudModel
import Foundation
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
                    let wrong = try await test.a.login(bucket: url, secret: "wrong")
                    #expect(wrong.status == 6 && wrong.errors.contains("does not accept the credentials"), "\(wrong)")
                    let right = try await test.a.login(bucket: url)
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

        @Test("a chunk that was deleted from a bucket is named by check, and brought back by the device that has it")
        func deletedChunk() async throws {
            try await withBucket(devices: ["A", "B"]) { double, test in
                try await test.a.shell("mkdir d; seq 1 400000 > d/big; head -c 50000 /dev/urandom > noise")
                try await test.expectConverged()
                try await test.b.evict("d/big", "noise")
                let chunks = double.objects.keys.filter { $0.contains("/chunks/") }
                #expect(chunks.count >= 3)
                for chunk in chunks { double.set(chunk, nil) }
                let found = try await test.b.ubiquity(["check", "--json", test.b.mount])
                #expect(found.status == 7, "\(found)")
                let document = try JSONDecoder().decode(CheckTests.Document.self, from: Data(found.output.utf8))
                let named = Set(try #require(document.mounts.first).problems.compactMap(\.path))
                #expect(named == [test.b.path("d/big"), test.b.path("noise")])
                let alone = try await test.b.ubiquity(["repair", test.b.mount])
                #expect(alone.status == 7, "B has no copy: \(alone)")
                let repaired = try await test.a.ubiquity(["repair", test.a.mount])
                #expect(repaired.status == 0, "\(repaired)")
                let again = try await test.b.ubiquity(["check", test.b.mount])
                #expect(again.status == 0, "\(again)")
                try await test.b.shell("seq 1 400000 | cmp - d/big; cmp noise \(test.a.path("noise"))")
                #expect(Set(chunks).isSubset(of: double.objects.keys))
            }
        }

        @Test("the first byte of a placeholder takes at most three round trips, of any size of document")
        func firstByte() async throws {
            try await withBucket(devices: ["A", "B"]) { double, test in
                try await test.a.shell("head -c 1000 /dev/urandom > small; head -c 5000000 /dev/urandom > big")
                try await test.a.sync()
                try await test.b.sync()
                let small = try await chunkRequests(to: double, of: "small", test)
                #expect(small.count == 1)
                let big = try await chunkRequests(to: double, of: "big", test)
                // The first request is for the list of chunks. The next four are sent together, in any order, so one of
                // them is sent after a third reply at most.
                let list = try #require(big.first)
                let frame = try #require(double.objects[list])
                let digits = list.suffix(65).filter { $0 != "/" }
                let id = try #require(Hex.decode(String(digits)).flatMap { Digest($0) })
                let manifest = try Manifest(decoding: ChunkFrame.decode(frame, expecting: id), size: 5_000_000)
                let first = try #require(manifest.chunks.first).id.description.dropFirst(2)
                let place = try #require(big.firstIndex { $0.hasSuffix(first) })
                #expect(manifest.chunks.count > 4 && place <= 4, "\(big)")
            }
        }

        /// Returns the keys of the chunks requested by B when a program reads a document's first byte, in order.
        private func chunkRequests(to double: S3Double, of name: String, _ test: TestDevices) async throws -> [String] {
            let before = double.seen.count
            try await test.b.shell("cmp <(head -c 1 \(name)) <(head -c 1 \(test.a.path(name)))")
            return double.seen.dropFirst(before).map(\.key).filter { $0.contains("/chunks/") }
        }

        @Test("an unmount rings the bell of the last change before the daemon ends")
        func lastBell() async throws {
            try await withBucket(devices: ["A"]) { double, test in
                try await test.a.shell("echo last > document")
                try await test.a.ubiquity(["unmount", "--wait", test.a.mount]).text()
                let puts = double.seen.filter { $0.method == "PUT" }.map(\.key)
                #expect(puts.last?.hasSuffix("/bell") == true, "\(puts.suffix(3))")
                try await test.a.start()
            }
        }

        /// Runs `body` with devices signed in to an S3 store.
        private func withBucket(
            devices: [String], _ body: @escaping @Sendable (S3Double, TestDevices) async throws -> Void
        ) async throws {
            let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
            let double = S3Double(credentials: credentials)
            try await double.serve(prefix: "documents") { location in
                try await TestDevices.with(devices: devices, cloud: "\(location)") { test in
                    try await test.a.login(bucket: "\(location)")
                } _: { test in
                    try await body(double, test)
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
    }
}

extension TestDevice {
    /// Keeps credentials for a bucket, by default valid ones.
    @discardableResult
    func login(bucket url: String, secret: String = "secret") async throws -> ProgramOutcome {
        let script = "printf 'KEY\\n\(secret)\\n' | \(binaries)/ubiquity login '\(url)'"
        return try await runner.run("bash", ["-c", script], in: "/")
    }
}
