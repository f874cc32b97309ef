import Basics
import DaemonProtocol
import FoundationEssentials
import Glibc
package import Logging
import Synchronization

/// `ubiquityd databases`: keeps a device's shared databases in a separate process, for the daemon that starts it.
///
/// It is a process because it opens programs' files: problems of such a file, or of its disk, must not end the mount or
/// keep it from ending. It uses the mount like any program.
package final class HelperServer: Sendable {
    package static let name = "databases"
    /// The maximum number of concurrent requests.
    private static let maximumRequests = 16

    private let service: SharingService
    private let running = Mutex(0)
    /// Held while a frame is written.
    private let output = Mutex(())

    package static func isMeant(by arguments: [String]) -> Bool { arguments.first == name }

    /// Serves requests from standard input, a socket, until the daemon closes its end. An empty frame signals changed
    /// files in the mount.
    ///
    /// - Parameter arguments: `databases`, the state directory, the mount point, and the device's name.
    package static func run(_ arguments: [String], log: Logger) {
        guard arguments.count == 4 else { return }
        // The daemon's end is noticed when reading; writing to it must not end this process in the middle of a step.
        signal(SIGPIPE, SIG_IGN)
        // Ctrl-C in the daemon's terminal is meant for the daemon, and the daemon ends this process in order.
        for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        let service = SharingService(
            stateDirectory: arguments[1], mount: arguments[2], deviceName: arguments[3], log: log)
        HelperServer(service).serve()
        // Threads may be in the middle of a step, but the next process continues from it; an orderly exit would wait
        // for them.
        _exit(0)
    }

    private init(_ service: SharingService) { self.service = service }

    private func serve() {
        service.start()
        var splitter = FrameSplitter()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            splitter.append(bytes[..<count])
            do {
                while let payload = try splitter.next() {
                    if payload.isEmpty { service.cloudChanged() } else { accept(payload) }
                }
            } catch { return }
        }
    }

    private func accept(_ payload: Data) {
        let envelope: ClientEnvelope
        do { envelope = try ControlFrame.decode(ClientEnvelope.self, from: payload, calls: .databases) } catch {
            return send(ControlFrame.requestID(of: payload), .failure(ControlFrame.refusal(of: error)))
        }
        let mayRun = running.withLock { running in
            guard running < Self.maximumRequests else { return false }
            running += 1
            return true
        }
        guard mayRun else {
            return send(envelope.id, .failure(DaemonFailure(.busy, "too many requests", advice: "Try again.")))
        }
        do throws(Errno) {
            try OwnThread.detach("databases") { [self] in
                let body: DaemonEnvelope.Body
                do { body = .response(try perform(envelope.request.call)) } catch {
                    body = .failure(Self.failure(error))
                }
                running.withLock { $0 -= 1 }
                send(envelope.id, body)
            }
        } catch {
            running.withLock { $0 -= 1 }
            send(
                envelope.id, .failure(DaemonFailure(.busy, "no thread can be started (\(error))", advice: "Try again."))
            )
        }
    }

    private func perform(_ call: any DaemonCall) throws -> any CallResponse {
        switch call {
        case let request as ShareDatabaseRequest: return DatabaseResponse(try service.share(request))
        case let request as AttachDatabaseRequest: return DatabaseResponse(try service.attach(request))
        case let request as DatabasesRequest: return try service.list(isBrief: request.isBrief ?? false)
        case let request as DatabaseHistoryRequest: return try service.history(request)
        case let request as DatabaseReviewRequest: return try service.review(request)
        case let request as ResolveDatabaseRequest: try service.resolve(request)
        case let request as DetachDatabaseRequest: try service.detach(request)
        default: throw DaemonFailure(.unsupported, "this request is not about databases")
        }
        return DoneResponse()
    }

    private static func failure(_ error: any Error) -> DaemonFailure {
        error as? DaemonFailure ?? DaemonFailure(.failed, "the request failed (\(error))")
    }

    private func send(_ id: UInt64, _ body: DaemonEnvelope.Body) {
        let frame: [UInt8]
        do { frame = try ControlFrame.frame(DaemonEnvelope(id: id, body)) } catch {
            guard case .response = body else { return }
            let failure = DaemonFailure(.failed, "the response is too large", advice: "Ask about one row.")
            return send(id, .failure(failure))
        }
        output.withLock { _ in
            // If the daemon is gone, the next read ends this process.
            try? writeAll(frame) { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
