import Basics
import Commands
import ControlServer
import DaemonProtocol
import FoundationEssentials
import Glibc
import Testing

@Suite("The control socket, client and server")
struct SocketServerTests {
    private let diagnose = ScriptedHandler { _ in DaemonResponse(DiagnoseResponse(report: "well")) }

    private func ask<Call: DaemonCall>(_ record: MountRecord, _ request: Call) async throws -> Call.Response {
        try await blocking {
            var connection = try DaemonConnection.open(record)
            return try connection.call(request)
        }
    }

    @Test("a request gets its response")
    func answer() async throws {
        try await FakeDaemon.with(diagnose) { daemon in
            let answer = try await ask(daemon.record, DiagnoseRequest())
            #expect(answer == DiagnoseResponse(report: "well"))
        }
    }

    @Test("a failure reaches the client complete, and an unexpected error as a failure that names it")
    func failures() async throws {
        let refusal = DaemonFailure(.pinned, "it is pinned", path: "/m/a", advice: "Unpin it.", errno: EPERM)
        let handler = ScriptedHandler { request in
            if request.call is CheckRequest { throw Errno(EIO, "pread") }
            throw refusal
        }
        try await FakeDaemon.with(handler) { daemon in
            let known = await #expect(throws: CommandFailure.self) {
                try await ask(daemon.record, EvictRequest(paths: []))
            }
            #expect(known?.causes == [refusal])
            #expect(known?.status == .refused)
            let unforeseen = await #expect(throws: CommandFailure.self) {
                try await ask(daemon.record, CheckRequest())
            }
            #expect(unforeseen?.description.contains("pread") == true)
        }
    }

    @Test("states arrive while the client waits for a response")
    func watching() async throws {
        let gate = Gate()
        let handler = ScriptedHandler(states: [.sample(pendingItems: 2), .sample()]) { _ in
            await gate.wait()
            return DaemonResponse(SyncResponse(pendingItems: 0, pendingBytes: 0))
        }
        try await FakeDaemon.with(handler) { daemon in
            let seen = try await blocking {
                var seen: [UInt64] = []
                var connection = try DaemonConnection.open(daemon.record)
                let request = SyncRequest(paths: [], wait: true)
                _ = try connection.call(request, watch: WatchRequest()) { status in
                    seen.append(status.mount.queue.pendingItems)
                    if seen.count == 2 { gate.open() }
                }
                return seen
            }
            #expect(seen == [2, 0])
        }
    }

    @Test("a client can cancel a waiting request at any time, and no other request ends with it")
    func callingOff() async throws {
        let handler = ScriptedHandler { request in
            guard request.call is DownloadRequest else { return DaemonResponse(DiagnoseResponse(report: "well")) }
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }
        try await FakeDaemon.with(handler) { daemon in
            let client = try await RawClient.connect(daemon.record)
            let wait = DaemonRequest(DownloadRequest(paths: [.root], wait: true))
            try await client.send([DaemonRequest(HelloRequest(program: "test"))])
            _ = try await client.next()
            // Cancelled immediately after the request, perhaps before it has begun.
            try await client.send([wait, wait, DaemonRequest(UnfollowRequest(request: 2))], from: 2)
            let answers = [try await client.next(), try await client.next()].compactMap(\.self)
            #expect(answers.first { $0.id == 2 }?.failureCode == .cancelled)
            #expect(answers.first { $0.id == 4 }?.body == .response(DaemonResponse(DoneResponse())))
            try await client.send(
                [DaemonRequest(UnfollowRequest(request: 2)), DaemonRequest(DiagnoseRequest())], from: 5)
            let later = [try await client.next(), try await client.next()].compactMap(\.self)
            #expect(later.first { $0.id == 5 }?.failureCode == .notFound, "it is over")
            #expect(later.contains { $0.id == 6 })
            try await client.send([DaemonRequest(UnfollowRequest(request: 3))], from: 7)
            let last = [try await client.next(), try await client.next()].compactMap(\.self)
            #expect(last.first { $0.id == 3 }?.failureCode == .cancelled)
        }
    }

    @Test("a request ends when the client that waits for it disconnects")
    func leaving() async throws {
        let started = Gate()
        let ended = Gate()
        let handler = ScriptedHandler { _ in
            started.open()
            await withTaskCancellationHandler {
                await Gate().wait()
            } onCancel: {
                ended.open()
            }
            throw CancellationError()
        }
        try await FakeDaemon.with(handler) { daemon in
            do {
                let stream = try await RawClient.connect(daemon.record)
                try await stream.send([
                    DaemonRequest(HelloRequest(program: "test")), DaemonRequest(SyncRequest(paths: [], wait: true)),
                ])
                await started.wait()
            }
            await ended.wait()
        }
    }

    @Test("a client that dies at any byte affects no other program")
    func dyingAnywhere() async throws {
        try await FakeDaemon.with(diagnose) { daemon in
            let hello = try ControlFrame.frame(
                ClientEnvelope(id: 1, request: DaemonRequest(HelloRequest(program: "test"))))
            let whole = try hello + ControlFrame.frame(ClientEnvelope(id: 2, request: DaemonRequest(DiagnoseRequest())))
            for length in stride(from: 0, through: whole.count, by: 3) {
                let stream = try await RawClient.connect(daemon.record)
                try await stream.send(bytes: Array(whole.prefix(length)))
            }
            let answer = try await ask(daemon.record, DiagnoseRequest())
            #expect(answer == DiagnoseResponse(report: "well"))
        }
    }

    @Test("bytes that are not frames end the connection, not the server", arguments: UInt64(1)...10)
    func garbage(seed: UInt64) async throws {
        var generator = SystemRandomNumberGenerator()
        _ = generator.next()
        try await FakeDaemon.with(diagnose) { daemon in
            var state = seed &* 0x9E37_79B9_7F4A_7C15
            let noise = (0..<2000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            let stream = try await RawClient.connect(daemon.record)
            // The server may close the connection before it has read everything.
            try? await stream.send(bytes: noise)
            let answer = try await ask(daemon.record, DiagnoseRequest())
            #expect(answer == DiagnoseResponse(report: "well"), "seed \(seed)")
        }
    }

    @Test("a client of another major version gets an error that says so")
    func otherVersion() async throws {
        try await FakeDaemon.with(diagnose) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            let version = ProtocolVersion(major: 99, minor: 0)
            try await stream.send([DaemonRequest(HelloRequest(version: version, program: "future"))])
            let answer = try #require(try await stream.next())
            guard case .failure(let failure) = answer.body else {
                Issue.record("the answer is no failure: \(answer)")
                return
            }
            #expect(failure.code == .versionMismatch)
            #expect(failure.message.contains("99.0"))
            #expect(try await stream.next() == nil, "the connection ends")
        }
    }

    @Test("a client that sends nothing is disconnected")
    func silence() async throws {
        var limits = SocketServer.Limits()
        limits.helloTimeout = .milliseconds(20)
        try await FakeDaemon.with(diagnose, limits: limits) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            #expect(try await stream.next() == nil)
        }
    }

    @Test("a daemon that works on a long request sends signs of life")
    func heartbeat() async throws {
        let gate = Gate()
        let handler = ScriptedHandler { _ in
            await gate.wait()
            return DaemonResponse(DoneResponse())
        }
        var limits = SocketServer.Limits()
        limits.helloTimeout = .seconds(1)
        limits.heartbeat = .milliseconds(20)
        try await FakeDaemon.with(handler, limits: limits) { daemon in
            let stream = try await RawClient.connect(daemon.record)
            try await stream.send([
                DaemonRequest(HelloRequest(program: "test")), DaemonRequest(StopRequest(upload: true)),
            ])
            _ = try await stream.next()
            for _ in 0..<3 { #expect(try await stream.next() == DaemonEnvelope(id: 0, .event(.alive))) }
            gate.open()
            var last = try await stream.next()
            while last?.body == .event(.alive) { last = try await stream.next() }
            #expect(last == DaemonEnvelope(id: 2, .response(DaemonResponse(DoneResponse()))))
        }
    }

    @Test("clients beyond the limit are refused with a reason")
    func tooManyClients() async throws {
        var limits = SocketServer.Limits()
        limits.maximumClients = 1
        try await FakeDaemon.with(diagnose, limits: limits) { daemon in
            let first = try await RawClient.connect(daemon.record)
            try await first.send([DaemonRequest(HelloRequest(program: "test"))])
            _ = try await first.next()
            let failure = await #expect(throws: CommandFailure.self) {
                try await ask(daemon.record, DiagnoseRequest())
            }
            #expect(failure?.causes.first?.code == .busy)
            // The first is still served.
            try await first.send([DaemonRequest(DiagnoseRequest())], from: 2)
            #expect(try await first.next()?.id == 2)
        }
    }

    @Test("a daemon that accepts connections but never responds is reported, and the client does not wait for it")
    func frozen() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "frozen-\(UUID().uuidString)").path
        try createDirectories(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let record = MountRecord(mount: "/m", pid: 7, state: directory, socket: "\(directory)/control.sock")
        let socket = try ControlSocket.listen(at: record.socket)
        let failure = await #expect(throws: CommandFailure.self) {
            try await blocking { _ = try DaemonConnection.open(record, patience: .milliseconds(50)) }
        }
        #expect(failure?.status == .notAnswering)
        #expect(failure?.description.contains("pid 7") == true)
        withExtendedLifetime(socket) {}
    }

    @Test("a mount without a listening process counts as dead")
    func noListener() async throws {
        let record = MountRecord(mount: "/m", pid: 7, state: "/s", socket: "/nonexistent/control.sock")
        let failure = await #expect(throws: CommandFailure.self) {
            try await blocking { _ = try DaemonConnection.open(record) }
        }
        #expect(failure?.status == .notMounted)
    }
}
