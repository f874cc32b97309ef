import Basics
import Foundation
import TestSupport
import Testing

@testable import S3Client

@Suite("Credentials of buckets")
struct CredentialTests {
    private static func source(
        _ environment: [String: String] = [:], credentials: String? = nil, config: String? = nil, file: String? = nil
    ) -> S3CredentialSource {
        S3CredentialSource(file: file, environment: environment, home: "/h") { path in
            ["/h/.aws/credentials": credentials, "/h/.aws/config": config][path] ?? nil
        }
    }

    private static let pair = ["AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "SECRET"]

    @Test("the environment variables are used, with session token and region")
    func environment() throws {
        let more = Self.pair.merging(["AWS_SESSION_TOKEN": "T", "AWS_REGION": "eu-west-1"]) { $1 }
        let found = try Self.source(more, credentials: "[default]\naws_access_key_id=X\naws_secret_access_key=Y").find()
        #expect(found.credentials == S3Credentials(accessKey: "KEY", secretKey: "SECRET", sessionToken: "T"))
        #expect(found.region == "eu-west-1")
        #expect(found.origin == "the environment")
    }

    @Test("profiles are read from both files, and the credentials file takes precedence")
    func profiles() throws {
        let credentials = """
            # mine
            [default]
            aws_access_key_id = D
            aws_secret_access_key = S=/+
            [work]
            aws_access_key_id=W
            aws_secret_access_key=X
            """
        let config =
            "[default]\nregion = eu-central-1\ns3 =\n  addressing_style = path\n[profile work]\naws_access_key_id=OLD\nregion=us-west-2"
        let standard = try Self.source(credentials: credentials, config: config).find()
        #expect(standard.credentials == S3Credentials(accessKey: "D", secretKey: "S=/+"))
        #expect(standard.region == "eu-central-1")
        let work = try Self.source(["AWS_PROFILE": "work"], credentials: credentials, config: config).find()
        #expect(work.credentials == S3Credentials(accessKey: "W", secretKey: "X"))
        #expect(work.region == "us-west-2")
    }

    @Test(
        "the error for a missing setting names it and says what to do",
        arguments: [
            ([:], nil, "There are no credentials"), (["AWS_ACCESS_KEY_ID": "K"], nil, "AWS_SECRET_ACCESS_KEY is not"),
            (["AWS_SECRET_ACCESS_KEY": "K"], nil, "AWS_ACCESS_KEY_ID is not"),
            (["AWS_PROFILE": "other"], "[default]\n", "There is no profile other"),
            ([:], "[default]\nrole_arn = arn\n", "export-credentials"),
            ([:], "[default]\naws_access_key_id = K\n", "no usable pair"), ([:], "[default]\nnonsense\n", "line 2"),
        ] as [([String: String], String?, String)])
    func missing(environment: [String: String], config: String?, part: String) {
        let error = #expect(throws: S3ConfigurationError.self) {
            try Self.source(environment, config: config).find()
        }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test("a certificate authority is named as for Amazon's tools, and an unusable file is an error that names it")
    func authorities() throws {
        _ = try Self.source().trust()
        let missing = #expect(throws: S3ConfigurationError.self) {
            try Self.source(["AWS_CA_BUNDLE": "/h/none.pem"]).trust()
        }
        #expect(missing?.message.hasPrefix("There is no file /h/none.pem,") == true)
        let invalid = #expect(throws: S3ConfigurationError.self) {
            try Self.source(config: "[default]\nca_bundle = /h/.aws/config\n").trust()
        }
        #expect(invalid?.message.hasPrefix("/h/.aws/config has no certificate") == true)
    }

    @Test("a certificate authority is kept beside our credentials until others are kept without one")
    func keptAuthority() throws {
        let path = "\(NSTemporaryDirectory())/ubiquity-s3-\(UUID().uuidString)"
        defer { unlink(path) }
        let (file, credentials) = (S3CredentialFile(path), try #require(S3Credentials(accessKey: "K", secretKey: "S")))
        try file.save(credentials, region: nil, authority: "no certificate")
        #expect(throws: S3ConfigurationError.self) { try Self.source(Self.pair, file: path).trust() }
        try file.save(credentials, region: nil)
        _ = try Self.source(Self.pair, file: path).trust()
        #expect(access("\(path).pem", F_OK) != 0)
        try file.save(credentials, region: nil, authority: "no certificate")
        try file.delete()
        for left in [path, "\(path).pem"] { #expect(access(left, F_OK) != 0) }
    }

    @Test("our credentials file is private, is read back as it was written, and is refused if others can read it")
    func file() throws {
        let path = "\(NSTemporaryDirectory())/ubiquity-s3-\(UUID().uuidString)"
        defer { unlink(path) }
        let file = S3CredentialFile(path)
        #expect(try file.load() == nil)
        let credentials = try #require(S3Credentials(accessKey: "K", secretKey: "S", sessionToken: "T"))
        try file.save(credentials, region: "eu-west-1")
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let found = try Self.source(Self.pair, file: path).find()
        #expect(found.credentials == credentials)
        #expect(found.region == "eu-west-1")
        #expect(chmod(path, 0o640) == 0)
        let error = #expect(throws: S3ConfigurationError.self) { try Self.source(Self.pair, file: path).find() }
        #expect(error?.message.contains("chmod 600") == true)
    }

    @Test(
        "credentials with characters that would end a header are refused",
        arguments: ["", "a\nb", "a b", "é", "a\u{7F}"])
    func characters(value: String) {
        #expect(S3Credentials(accessKey: value, secretKey: "s") == nil)
        #expect(S3Credentials(accessKey: "k", secretKey: value) == nil)
        #expect(S3Credentials(accessKey: "k", secretKey: "s", sessionToken: value) == nil)
    }

    @Test("no description, mirror, dump or error shows a credential")
    func secrecy() throws {
        let credentials = try #require(
            S3Credentials(accessKey: "HIDDENKEY", secretKey: "HIDDENSECRET", sessionToken: "HIDDENTOKEN"))
        let found = S3CredentialSource.Found(credentials: credentials, region: nil, origin: "a test")
        var texts = ["\(credentials)", String(reflecting: credentials), "\(found)", String(reflecting: found)]
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(found, to: &dumped)
        texts.append(dumped)
        for config in [
            "[default]\nHIDDENSECRET", "HIDDENSECRET = a",
            "[default]\naws_access_key_id = HIDDEN KEY\naws_secret_access_key=HIDDEN",
        ] {
            let error = #expect(throws: S3ConfigurationError.self) { try Self.source(config: config).find() }
            texts.append("\(String(reflecting: error))")
        }
        let environment = ["AWS_ACCESS_KEY_ID": "HIDDEN KEY", "AWS_SECRET_ACCESS_KEY": "HIDDEN"]
        let error = #expect(throws: S3ConfigurationError.self) { try Self.source(environment).find() }
        texts.append("\(String(reflecting: error))")
        #expect(texts.allSatisfy { !$0.contains("HIDDEN") })
    }

    @Test("settings in the usual spellings are parsed", arguments: 0..<100)
    func property(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var expected: [String: [String: String]] = [:]
        var text = ""
        for number in 0..<generator.number(1..<5) {
            let section = generator.chance(50) ? "profile p\(number)" : "p\(number)"
            text += generator.chance(30) ? "  # note = 1\n\n[ \(section) ] ; note\n" : "[\(section)]\r\n"
            expected[section] = [:]
            for key in 0..<generator.number(0..<5) {
                let value = String(
                    (0..<generator.number(0..<9)).compactMap { _ in generator.pick(Array("aZ9/+=#;[é")) })
                text += generator.chance(50) ? "Key\(key) = \(value)  \n" : "key\(key)=\(value)\n  nested = 1\n"
                expected[section]?["key\(key)"] = value
            }
        }
        #expect(try INIDocument(parsing: text).sections == expected, "seed \(seed)")
        var bytes = Array(text.utf8)
        for _ in 0..<20 {
            bytes[generator.number(0..<bytes.count)] = UInt8(generator.number(0..<256))
            // Either result is right; a trap ends the process.
            _ = try? INIDocument(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }
}
