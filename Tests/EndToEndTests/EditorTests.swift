import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Each editor saves in its own way: in place, by renaming a new file over the document, or by renaming the document away.
    @Suite("Editors")
    struct EditorTests {
        /// Editors' leftovers beside a document; they stay on the device.
        static let leftovers = ["*~", ".*.sw?"]

        /// Edits a document in the cloud; it must keep its identity, and both devices must end with the new text.
        private func expectSave(_ script: String) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.expectSameEverywhere("printf 'one\\nold\\n' > doc.txt")
                let before = try await test.a.status("doc.txt").itemID
                try await test.expectSameEverywhere(script, local: Self.leftovers)
                #expect(try await test.a.contents("doc.txt") == "one\nnew")
                #expect(try await test.a.status("doc.txt").itemID == before, "the save made another document of it")
                #expect(try await test.b.status("doc.txt").itemID == before)
                #expect(try await test.a.attribute("hasUnresolvedConflicts", of: "doc.txt") == "0")
                #expect(try await test.b.list() == ["doc.txt"], "something local has travelled")
            }
        }

        @Test("vim saves a document, and its identity stays the same", arguments: ["yes", "no", "auto"])
        func vim(backupCopy: String) async throws {
            try await expectSave(
                "vim -Nu NONE -es -c 'set backup backupcopy=\(backupCopy)' -c '%s/old/new/' -c 'wq' doc.txt")
        }

        @Test("emacs saves with a backup, and the document's identity stays the same")
        func emacs() async throws {
            try await expectSave(
                """
                emacs -Q --batch doc.txt --eval \
                '(progn (goto-char (point-min)) (search-forward "old") (replace-match "new") (save-buffer))'
                """)
        }

        @Test("emacs saves without renaming the document away, and its identity stays the same")
        func emacsByCopying() async throws {
            try await expectSave(
                """
                emacs -Q --batch doc.txt --eval \
                '(progn (setq backup-by-copying t) (search-forward "old") (replace-match "new") (save-buffer))'
                """)
        }

        @Test("nano saves a document, and its identity stays the same")
        func nano() async throws {
            try await expectSave(Self.typed("nano -B doc.txt", until: "one", "Down C-k n e w C-o Enter C-x"))
        }

        /// Returns a script that runs a program in its own terminal, types into it once it shows `text`, and awaits its
        /// end.
        private static func typed(_ command: String, until text: String, _ keys: String) -> String {
            """
            terminal() { tmux -L "editor-$$" -f /dev/null "$@"; }
            trap 'terminal kill-server 2> /dev/null || true' EXIT
            terminal new-session -d -x 80 -y 24 "\(command)"
            until terminal capture-pane -p | grep -q '\(text)'; do read -t 0.1 < <(:) || true; done
            terminal send-keys \(keys)
            while terminal has-session 2> /dev/null; do read -t 0.1 < <(:) || true; done
            """
        }

        @Test(
            "an editor that saves a text which it read before another device's edit arrived keeps that edit beside its own",
            arguments: ["backupcopy=no", "nowritebackup"])
        func lateSave(settings: String) async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await test.expectSameEverywhere("printf 'one\\nold\\n' > doc.txt")
                // vim asks whether to write a changed file, and drops all input from before the question.
                let terminal = """
                    terminal() { tmux -L 'late-\(UUID())' -f /dev/null "$@"; }
                    shows() { until terminal capture-pane -p | grep -q "$1"; do read -t 0.1 < <(:) || true; done; }

                    """
                try await b.shell(
                    terminal + """
                        terminal new-session -d -x 80 -y 24 "timeout 120 vim -Nu NONE -c 'set \(settings)' doc.txt"
                        shows old
                        """)
                try await a.shell("echo 'from A' >> doc.txt")
                try await a.sync()
                // A look at the size is not a look at the text.
                try await eventually("the edit arrives") { try await b.shell("stat -c %s doc.txt") == "15" }
                try await b.shell(
                    terminal + """
                        terminal send-keys ':%s/old/new/' Enter ':w!' Enter; shows y/n
                        terminal send-keys y; shows written
                        terminal send-keys Enter ':q!' Enter
                        while terminal has-session 2> /dev/null; do read -t 0.1 < <(:) || true; done
                        """)
                try await b.sync()
                try await a.sync()
                for device in [a, b] {
                    #expect(try await device.contents("doc.txt") == "one\nnew")
                    let others = try await device.list().filter { $0 != "doc.txt" && !$0.hasSuffix("~") }
                    #expect(others.count == 1, "\(others)")
                    if let other = others.first {
                        #expect(try await device.contents(other) == "one\nold\nfrom A")
                    }
                }
            }
        }

        @Test(
            "a stream editor that edits in place keeps the document's identity",
            arguments: [
                "sed -i s/old/new/ doc.txt", "sed -i~ s/old/new/ doc.txt", "perl -pi -e s/old/new/ doc.txt",
            ])
        func streamEditors(command: String) async throws { try await expectSave(command) }

        @Test("an atomic save with fsync keeps the document's identity")
        func atomicSave() async throws {
            try await expectSave(
                "printf 'one\\nnew\\n' > .doc.txt.tmp && sync .doc.txt.tmp && mv .doc.txt.tmp doc.txt && sync -f .")
        }

        @Test("LibreOffice converts a document in the mount")
        func libreOffice() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell(
                    """
                    printf 'Dear reader,\\n' > letter.txt
                    soffice --headless --convert-to odt letter.txt
                    soffice --headless --convert-to txt:Text --outdir back letter.odt
                    """, limit: .seconds(300))
                let text = try await test.a.contents("back/letter.txt")
                #expect(text.hasSuffix("Dear reader,"))
                try await test.expectConverged(excluding: [".~lock*"])
                #expect(try await test.b.list().contains("letter.odt"))
            }
        }
    }
}
