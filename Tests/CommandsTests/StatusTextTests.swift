import CloudModel
import Commands
import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("Terminal output")
struct StatusTextTests {
    private let record = MountRecord(mount: "/m", pid: 1, state: "/s", socket: "/s/c")

    private func item(
        _ path: String, pin: PinPolicy = .inherited, _ change: (inout DocumentState) -> Void = { _ in }
    ) throws -> ItemStatus {
        var state = DocumentState(isUploaded: true)
        state.size = 1536
        change(&state)
        var item = ItemStatus(path: try MountPath(path), kind: .file, state: state, itemID: "1", container: "c")
        item.pin = pin
        return item
    }

    @Test("an item that a pattern excludes is shown with the line and the file of the pattern")
    func excluded() throws {
        var item = try item("p/a.o") { $0.isExcluded = true }
        item.excludedBy = ItemStatus.ExcludingPattern(path: try MountPath("p/.ubiquityignore"), line: 3, pattern: "*.o")
        #expect(
            StatusText.table([(record, item)], .plain).last
                == "/m/p/a.o is excluded by line 3 of /m/p/.ubiquityignore: *.o")
    }

    @Test("items are shown in columns, with the three independent states side by side")
    func table() throws {
        let items = try [
            item("a.txt"),
            item("folder/b.mov", pin: .keep) {
                $0.downloading = .notDownloaded
                $0.hasUnresolvedConflicts = true
            },
            item("c") {
                $0.isUploaded = false
                $0.isUploading = true
                $0.percentUploaded = 45.9
            },
        ]
        #expect(
            StatusText.table(items.map { (record, $0) }, .plain) == [
                "LOCAL    CLOUD     CONFLICT  PIN        SIZE  PATH",
                "current  uploaded  -         (lazy)  1.5 KiB  /m/a.txt",
                "no       uploaded  yes       keep    1.5 KiB  /m/folder/b.mov",
                "current  45 %      -         (lazy)  1.5 KiB  /m/c",
            ])
    }

    @Test("limits are shown, and programs that are refused with what to do; their names cannot send control sequences")
    func limits() {
        var status = MountStatus.sample()
        status.limits = LimitStatus(up: 512_000, down: nil)
        status.refusedPrograms = [RefusedProgram(program: "in\u{1B}dexer", seconds: 541)]
        let lines = StatusText.lines(status, .plain)
        #expect(lines.contains("  Limits      up 500 KiB/s, down without a limit"), "\(lines)")
        let refused = lines.first { $0.hasPrefix("  Refused") } ?? ""
        #expect(refused.contains("for 10 minutes: ubiquity downloads --allow 'in?dexer'"), "\(refused)")
    }

    @Test("a metered network is shown with what waits because of it and how to change that")
    func metered() {
        var status = MountStatus.sample()
        func shown() -> String? { StatusText.lines(status, .plain).first { $0.hasPrefix("  Network") } }
        #expect(shown() == nil)
        status.metered = .wait
        let waiting = "uploads and background downloads wait (ubiquity limit --on-metered continue)"
        #expect(shown() == "  Network     metered: \(waiting)")
        status.metered = .continue
        #expect(shown() == "  Network     metered: uploads and background downloads continue")
    }

    @Test("a name cannot send control sequences to the terminal")
    func controlCharacters() throws {
        let lines = StatusText.table([(record, try item("a\u{1B}[2Jb\nc"))], .plain)
        #expect(lines.last?.hasSuffix("/m/a?[2Jb?c") == true)
        let piped = StatusText.table([(record, try item("a\tb"))], .plain, isForEyes: false)
        #expect(piped.last?.hasSuffix("/m/a\tb") == true, "a program gets the name as it is")
    }

    @Test("a mount's text names cloud, queue and conflicts; colours are used only if requested")
    func mount() {
        var status = MountStatus.sample(pendingItems: 1)
        status.conflicts = 2
        let report = MountReport(record: record, mount: "/m", outcome: .success(status))
        let plain = StatusText.lines(report, .plain).joined(separator: "\n")
        #expect(plain.contains("file:///c (online)"))
        #expect(plain.contains("1 item to upload (0 B)"))
        #expect(plain.contains("2 documents: ubiquity conflicts /m"))
        #expect(!plain.contains("\u{1B}"))
        #expect(StatusText.lines(report, TextStyle(isColoured: true)).joined().contains("\u{1B}["))
    }

    @Test("a daemon that does not respond is shown with what is known about it", arguments: [true, false])
    func frozen(known: Bool) throws {
        let failure = CommandFailure(.notAnswering, "the daemon (pid 1) does not answer", path: "/m")
        let report = MountReport(record: known ? record : nil, mount: "/m", outcome: .failure(failure))
        let json = try StatusJSON.text(mounts: [report])
        #expect(json.contains(#""isAnswering" : false"#))
        #expect(json.contains(#""pid" : 1"#) == known)
        let shown = StatusText.lines(report, .plain).last ?? ""
        #expect(shown.contains("does not answer"))
        // The command's error names the mount and the remedy.
        #expect(shown.contains("/m") != known)
    }

    @Test("a progress bar fits the width and shows the progress", arguments: [40, 80, 200])
    func progressBar(width: Int) throws {
        let path = try MountPath("CloudDocs/Documents/a rather long name of a film that does not fit.mov")
        for completed in [UInt64(0), 499, 500, 1000, 2000] {
            let transfer = TransferStatus(path: path, direction: .download, completedBytes: completed, totalBytes: 1000)
            let bar = ProgressBar(transfer: transfer)
            let line = bar.line(width: width, .plain)
            #expect(line.count <= width, "\(line)")
            #expect(bar.percent == min(100, Int(completed / 10)))
            #expect(line.contains("░") == (completed < 1000))
        }
    }

    @Test("on a terminal, lines are replaced by moving up and clearing them")
    func redraw() {
        #expect(LiveDisplay.redraw(over: 0, ["a"]) == "\r\u{1B}[Ja\n")
        #expect(LiveDisplay.redraw(over: 2, ["a", "b"]) == "\u{1B}[2A\r\u{1B}[Ja\nb\n")
    }

    @Test("the daemon's lines are read complete, in whatever pieces they arrive")
    func lines() {
        var splitter = LineSplitter()
        #expect(splitter.append(Array("star".utf8)) == [])
        #expect(splitter.append(Array("ting: a\nrea".utf8)) == ["starting: a"])
        #expect(splitter.append(Array("dy\n".utf8)) == ["ready"])
    }

    @Test(
        "close misspellings of a command are recognized, other words are not",
        arguments: [
            ("statsu", "status"), ("mout", "mount"), ("umount", "unmount"), ("Stop", "unmount"), ("share", nil),
            ("unpn", "unpin"), ("SYNC", "sync"), ("frobnicate", nil),
            ("", nil),
        ])
    func suggestions(typed: String, meant: String?) {
        #expect(suggestion(for: typed, among: ["status", "mount", "unmount", "pin", "unpin", "sync"]) == meant)
    }
}
