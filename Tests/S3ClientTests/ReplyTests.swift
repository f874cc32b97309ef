import Basics
import Testing

@testable import S3Client

@Suite("Replies of object stores")
struct ReplyTests {
    /// A shortened example from the documentation of ListObjectsV2.
    private static let listing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
          <Name>bucket</Name><Prefix/><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys>
          <IsTruncated>true</IsTruncated><NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken>
          <Contents><Key>happyface.jpg</Key><LastModified>2014-11-21T19:40:05.000Z</LastModified><Size>11</Size></Contents>
          <Contents><Key>a+b%20c</Key><Size>5</Size><Owner><ID>1</ID></Owner></Contents>
        </ListBucketResult>
        """

    @Test("a page of a listing is read, and its keys decoded only if the store says that they are encoded")
    func listing() throws {
        let page = try S3Page(parsing: Array(Self.listing.utf8))
        #expect(page.objects == [S3Listed(key: "happyface.jpg", size: 11), S3Listed(key: "a+b%20c", size: 5)])
        #expect(page.next == "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=")
        let encoded = Self.listing.replacing("<Name>", with: "<EncodingType>url</EncodingType><Name>")
        #expect(try S3Page(parsing: Array(encoded.utf8)).objects.last?.key == "a b c")
    }

    @Test(
        "a listing without required fields is refused",
        arguments: ["<Size>11</Size>", "<Key>happyface.jpg</Key>", "</Contents>", "happyface.jpg</Key><LastModified>"])
    func incomplete(part: String) {
        let text = Self.listing.replacing(part, with: "")
        #expect(throws: S3ReplyError.self) { try S3Page(parsing: Array(text.utf8)) }
    }

    @Test("a listing that names itself as the next page, or never ends, is refused")
    func endless() async throws {
        func page(_ token: String) -> CannedTransport.Reply {
            .response(
                200,
                "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>\(token)</NextContinuationToken></ListBucketResult>"
            )
        }
        for replies in [[page("a"), page("a")], (0..<100).map { page("\($0)") }] {
            let error = await #expect(throws: S3Error.self) {
                try await cannedClient(CannedTransport(replies)).list("", limit: 5)
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test("a listing with keys that were not requested is refused")
    func otherKeys() async throws {
        let reply = "<ListBucketResult><Contents><Key>b/1</Key><Size>1</Size></Contents></ListBucketResult>"
        let error = await #expect(throws: S3Error.self) {
            try await cannedClient(CannedTransport([.response(200, reply)])).list("a/", limit: 5)
        }
        #expect(error?.code == .damaged)
    }

    @Test("objects that could not be deleted are an error, missing ones are not")
    func deletion() async throws {
        let gone = "<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error></DeleteResult>"
        try await cannedClient(CannedTransport([.response(200, gone)])).delete(["a"])
        let denied = "<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>"
        let error = await #expect(throws: S3Error.self) {
            try await cannedClient(CannedTransport([.response(200, denied)])).delete(["a", "b"])
        }
        #expect(error?.code == .denied)
        #expect(error?.message.contains("1 of 2") == true)
        // S3 may send a success status and then fail in the body.
        let failed = "<Error><Code>InternalError</Code></Error>"
        await #expect(throws: S3Error.self) {
            try await cannedClient(CannedTransport([.response(200, failed)])).delete(["a"])
        }
    }

    @Test("a range other than the requested one is refused")
    func otherRange() async throws {
        let error = await #expect(throws: S3Error.self) {
            try await cannedClient(CannedTransport([.response(206, "x")])).get("a", range: 5..<6, limit: 1)
        }
        #expect(error?.code == .damaged)
    }

    @Test(
        "refusals are classified by their code, or by their status if there is no code",
        arguments: [
            (412, "PreconditionFailed", .taken), (409, "ConditionalRequestConflict", .conflict),
            (409, "OperationAborted", .conflict), (503, "SlowDown", .throttled), (429, "TooManyRequests", .throttled),
            (500, "InternalError", .unavailable), (404, "NoSuchKey", .noKey), (404, "NoSuchBucket", .noBucket),
            (403, "AccessDenied", .denied), (403, "SignatureDoesNotMatch", .wrongCredentials),
            (403, "RequestTimeTooSkewed", .wrongClock), (400, "ExpiredToken", .expiredCredentials),
            (301, "PermanentRedirect", .wrongRegion), (501, "NotImplemented", .unsupported),
            (416, "InvalidRange", .noRange), (507, "XMinioStorageFull", .full), (412, "", .taken),
            (503, "", .throttled),
            (404, "SomethingNew", .noKey), (418, "", nil),
        ] as [(Int, String, S3Error.Code?)])
    func codes(status: Int, code: String, expected: S3Error.Code?) {
        #expect(S3Error.Code(S3Refusal(code: code), status: status) == expected)
    }

    @Test("a refusal's text sends no control sequences to the terminal")
    func visible() throws {
        let text = "<Error><Code>Odd</Code><Message>a&#27;[2Jb\u{202E}c</Message></Error>"
        #expect(try #require(S3Refusal(parsing: Array(text.utf8))).message == "a?[2Jb?c")
    }

    @Test("the date formats of stores are parsed")
    func times() {
        let time = Timestamp(seconds: 1_369_353_600)
        #expect(S3Time.parse("2013-05-24T00:00:00Z") == time)
        #expect(S3Time.parse("2013-05-24T00:00:00.123Z") == time)
        #expect(S3Time.parse("Fri, 24 May 2013 00:00:00 GMT") == time)
        for text in ["", "2013-05-24", "2013-02-30T00:00:00Z", "Fri, 24 Mai 2013 00:00:00 GMT", "2013-05-24T24:00:00Z"]
        {
            #expect(S3Time.parse(text) == nil)
        }
    }
}
