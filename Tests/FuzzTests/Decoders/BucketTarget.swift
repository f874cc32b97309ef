@testable import S3Client

extension FuzzTarget {
    /// Replies of object stores, and a user's texts about them: settings and addresses.
    static let bucketReplies = FuzzTarget(name: "bucket") { bytes in
        let results = [
            try isStable(document: bytes), try isStable(page: bytes), S3Refusal(parsing: bytes) != nil,
            accepted { try S3DeleteResult(parsing: bytes) } != nil,
        ]
        let text = String(decoding: bytes, as: UTF8.self)
        let isTime = S3Time.parse(text) != nil
        let isSettings = accepted { try INIDocument(parsing: text) }.map { !$0.sections.isEmpty } ?? false
        let isAddress = try isStable(address: text)
        return results.contains(true) || isTime || isSettings || isAddress
    } seeds: {
        let listing = """
            <?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>\
            <IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>\
            <Contents><Key>a%20b+c</Key><Size>11</Size></Contents></ListBucketResult>
            """
        let refusal =
            "<Error><Code>RequestTimeTooSkewed</Code><Message>&lt;&#x41;&#66;</Message><ServerTime>2013-05-24T00:00:00Z</ServerTime></Error>"
        return [
            listing, refusal, "<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>",
            "<!-- c --><s3:a b='c'/>", "[profile a]\nregion = b # c\n  d = e\n; f\n[g]\n", "2013-05-24T00:00:00.5Z",
            "Fri, 24 May 2013 00:00:00 GMT", "s3://bucket/a%20b?endpoint=http://[::1]:9000&region=eu&addressing=path",
        ].map { Array($0.utf8) }
    }

    private static func isStable(document bytes: [UInt8]) throws(Violation) -> Bool {
        guard let document = accepted({ try XMLElement(parsing: bytes) }) else { return false }
        let again = accepted { try XMLElement(parsing: Array(document.encoded.utf8)) }
        try Violation.unless(again == document, "a document that is encoded again differs")
        return true
    }

    private static func isStable(page bytes: [UInt8]) throws(Violation) -> Bool {
        guard let page = accepted({ try S3Page(parsing: bytes) }) else { return false }
        try Violation.unless(page.objects.allSatisfy { !$0.key.isEmpty }, "an object without a key")
        try Violation.unless(page.next != "", "a next page without a name")
        return true
    }

    private static func isStable(address text: String) throws(Violation) -> Bool {
        guard let location = accepted({ try S3Location(parsing: text) }) else { return false }
        let again = accepted { try S3Location(parsing: location.description) }
        try Violation.unless(again == location, "\(location) is another address")
        let host = location.target(in: "eu-west-1").host
        try Violation.unless(host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2F }, "\(host) is no host")
        return true
    }
}
