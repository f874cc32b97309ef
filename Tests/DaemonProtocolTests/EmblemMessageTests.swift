import CloudModel
import DaemonProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite("Emblems on the wire")
struct EmblemMessageTests {
    private func request(_ paths: String) throws -> EmblemsRequest {
        try JSONDecoder().decode(EmblemsRequest.self, from: Data("{\"paths\": \(paths)}".utf8))
    }

    @Test("a path that cannot be one of the mount does not fail the others, and keeps its place")
    func malformedPaths() throws {
        let decoded = try request(
            #"["a", "../b", null, 7, {"base64": "!"}, ["c"], {"base64": "Y2Fm6Q=="}, "a\u0000", true, "d/./e", ""]"#)
        let expected: [String?] = ["a", nil, nil, nil, nil, nil, "caf\u{FFFD}", nil, nil, "d/e", "."]
        #expect(decoded.paths.map { $0.path?.description } == expected)
    }

    @Test("a state of a later version is shown as unknown")
    func laterState() throws {
        let response = try JSONDecoder().decode(
            EmblemsResponse.self, from: Data(#"{"emblems": ["here", "levitating", "cloud"]}"#.utf8))
        #expect(response.emblems == [.here, .unknown, .cloud])
    }

    @Test("any bytes as paths are sent and read back as the same", arguments: 1...20)
    func anyPaths(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let paths = (0..<50).map { _ in try? MountPath(bytes: generator.bytes(generator.number(0..<30))) }
        let text = try ControlFrame.payload(paths.map { EmblemsRequest.Path($0) })
        #expect(try JSONDecoder().decode([EmblemsRequest.Path].self, from: text).map(\.path) == paths)
    }
}
