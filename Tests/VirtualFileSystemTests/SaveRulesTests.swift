import CloudModel
import Testing

@testable import VirtualFileSystem

@Suite("Names by which programs are recognised")
struct SaveRulesTests {
    private func isBackup(_ name: String, of document: String) throws -> Bool {
        SaveRules.isBackup(try ItemName(name), of: try ItemName(document))
    }

    private func isHelper(_ name: String, of document: String) throws -> Bool {
        SaveRules.isHelper(try ItemName(name), of: try ItemName(document))
    }

    @Test("backups end in a few endings, behind the name or instead of its extension; rotated logs are none")
    func backups() throws {
        for name in ["a.doc.bak", "a.doc.orig", "a.bak", "A.DOC.BAK", "a.doc.old", "a.doc.backup", "a.doc.save"] {
            #expect(try isBackup(name, of: "a.doc"), "\(name)")
        }
        for name in ["a.doc.1", "a.doc1", "b.doc.bak", "a.doc", "bak"] {
            #expect(try !isBackup(name, of: "a.doc"), "\(name)")
        }
        #expect(try isBackup("log.old", of: "log"))
        #expect(try !isBackup("log.1", of: "log"))
    }

    @Test("a helper's name continues that of the document; another extension does not")
    func helpers() throws {
        for name in ["a.doc.x4Td", ".a.doc.x4Td", "a.doc@", "a.doc~", "a.doc___jb_tmp___", "#a.doc#", "a.doc-journal"] {
            #expect(try isHelper(name, of: "a.doc"), "\(name)")
        }
        for name in ["a.doc", "a.docx", "ba.doc.x", "a", "a.do", "..a.doc.x"] {
            #expect(try !isHelper(name, of: "a.doc"), "\(name)")
        }
        #expect(try !isHelper("notes.txt", of: "notes") && !isHelper("notes 2", of: "notes"))
        #expect(try isHelper("notes~", of: "notes") && isHelper(".notes_tmp", of: "notes"))
    }

    @Test("temporary names of Foundation's atomic writes stay on the device")
    func foundation() throws {
        #expect(ExclusionRules.standard.excludes(try ItemName(".dat.nosync2f1a.Yg7aB3")))
        #expect(!ExclusionRules.standard.excludes(try ItemName("dat.nosync2f1a.Yg7aB3")))
    }
}
