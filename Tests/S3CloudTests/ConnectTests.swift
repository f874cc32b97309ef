import CloudModel
import CloudStorage
import S3Client
import S3Double
import TestSupport
import Testing

@testable import S3Cloud

@Suite("Connecting to a bucket")
struct ConnectTests {
    @Test("A store that ignores If-None-Match is refused with a sentence that says why, and keeps no objects")
    func notAtomic() async throws {
        try await withCloud { cloud in
            cloud.double.ignoreConditions()
            let message = await expect(.failed) { _ = try await cloud.backend().connect(create: true) }
            #expect(message.contains("cannot hold a cloud"))
            #expect(cloud.double.objects.isEmpty)
        }
    }

    @Test("A store that does not implement If-None-Match is refused, and keeps no objects")
    func unsupported() async throws {
        try await withCloud { cloud in
            cloud.double.script(.refusal(status: 501, code: "NotImplemented"), for: "PUT", times: 8)
            let message = await expect(.failed) { _ = try await cloud.backend().connect(create: true) }
            #expect(message.contains("does not support If-None-Match"))
            #expect(cloud.double.objects.isEmpty)
        }
    }

    @Test("Making a cloud leaves its identity and no probe")
    func probes() async throws {
        try await withCloud { cloud in
            _ = try await cloud.backend().connect(create: true)
            #expect(Array(cloud.double.objects.keys) == ["some/prefix/ubiquity-cloud"])
        }
    }

    @Test("A whole bucket may be a cloud")
    func noPrefix() async throws {
        try await withCloud(prefix: "") { cloud in
            let device = try await cloud.device()
            _ = try await device.append([1], to: .cloudDocs)
            let log = try await cloud.device().wholeLog()
            #expect(log == [[1]])
        }
    }

    @Test("A prefix with other objects is not made a cloud")
    func occupied() async throws {
        try await withCloud { cloud in
            cloud.double.set("some/prefix/holiday.jpg", [1])
            let message = await expect(.foreign) { _ = try await cloud.backend().connect(create: true) }
            #expect(message.contains("has other objects"))
            #expect(cloud.double.objects.count == 1)
        }
    }

    @Test("An identity that arrives cut off is read again, and one that stays so counts as damaged")
    func cutIdentity() async throws {
        try await withCloud { cloud in
            let identity = try await cloud.backend().connect(create: true)
            let text = String(decoding: try #require(cloud.double.objects["some/prefix/ubiquity-cloud"]), as: UTF8.self)
            let cut = S3Fault.page(status: 200, text: String(text.dropLast(7)))
            cloud.double.script(cut, for: "GET", times: 2)
            let again = try await cloud.backend().connect(create: false)
            #expect(again == identity)
            cloud.double.script(cut, for: "GET", times: 3)
            _ = await expect(.damaged) { _ = try await cloud.backend().connect(create: false) }
        }
    }

    @Test("A cloud of a newer format is left alone")
    func newer() async throws {
        try await withCloud { cloud in
            cloud.double.set("some/prefix/ubiquity-cloud", Array("ubiquity cloud\nformat 2\nanything\n".utf8))
            _ = await expect(.tooNew) { _ = try await cloud.backend().connect(create: true) }
            #expect(cloud.double.objects.count == 1)
        }
    }

    @Test("Expired and wrong credentials are unauthorized, and a wrong clock says how far it is off")
    func refusals() async throws {
        try await withCloud { cloud in
            _ = try await cloud.device()
            cloud.double.shiftClock(by: .seconds(3600))
            let clock = await expect(.failed) { _ = try await cloud.backend().connect(create: false) }
            #expect(clock.contains("clock is wrong"))
            cloud.double.shiftClock(by: .zero)
            cloud.double.expireCredentials()
            let expired = await expect(.unauthorized) { _ = try await cloud.backend().connect(create: false) }
            #expect(expired.contains("expired"))
            cloud.double.accept(try #require(S3Credentials(accessKey: "OTHER", secretKey: "secret")))
            _ = await expect(.unauthorized) { _ = try await cloud.backend().connect(create: false) }
        }
    }

    @Test("A bucket that is not there is offline, with advice")
    func noBucket() async throws {
        try await withCloud { cloud in
            cloud.double.script(.refusal(status: 404, code: "NoSuchBucket"), for: "GET")
            let message = await expect(.offline) { _ = try await cloud.backend().connect(create: true) }
            #expect(message.contains("There is no bucket"))
        }
    }

    @Test("Credentials that may only read are readOnly for a change")
    func readOnly() async throws {
        try await withCloud { cloud in
            let device = try await cloud.device()
            cloud.double.script(.refusal(status: 403, code: "AccessDenied"), for: "PUT")
            _ = await expect(.readOnly) { _ = try await device.append([1], to: .cloudDocs) }
        }
    }
}
