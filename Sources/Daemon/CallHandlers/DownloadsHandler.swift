import Basics
import ControlServer
import DaemonProtocol
import Sync
import VirtualFileSystem

/// Downloads by program, and the programs' permissions to download.
struct DownloadsHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on { (request: DownloadsRequest) in downloads(request) }
        router.on { (request: AllowDownloadsRequest) in try allow(request) }
    }

    private func downloads(_ request: DownloadsRequest) -> DownloadsResponse {
        DownloadsResponse(days: device.engine.context.figures.days(request.days).map(DownloadDay.init))
    }

    private func allow(_ request: AllowDownloadsRequest) throws -> DoneResponse {
        guard (1...255).contains(request.program.utf8.count) else {
            throw DaemonFailure(.invalidRequest, "the name of a program has 1 to 255 bytes")
        }
        guard device.refused.all.contains(where: { $0.program == request.program }) else {
            throw DaemonFailure(
                .notFound, "no program of this name is refused documents", path: request.program,
                advice: "`ubiquity status` shows the programs that are.")
        }
        device.refused.allow(request.program)
        return DoneResponse()
    }
}

extension DownloadDay {
    init(_ day: DownloadStatistics.Day) {
        var sources = day.programs.map { name, amount in
            DownloadSource(cause: "program", program: name, documents: amount.documents, bytes: amount.bytes)
        }
        sources += day.causes.map { name, amount in
            DownloadSource(cause: name, documents: amount.documents, bytes: amount.bytes)
        }
        if day.otherPrograms != DownloadStatistics.Amount() {
            sources.append(
                DownloadSource(
                    cause: "otherPrograms", documents: day.otherPrograms.documents, bytes: day.otherPrograms.bytes))
        }
        self.init(
            day: CivilDate(daysSince1970: day.number).text,
            sources: sources.sorted {
                ($1.bytes, $1.documents, $0.program ?? "", $0.cause)
                    < ($0.bytes, $0.documents, $1.program ?? "", $1.cause)
            })
    }
}
