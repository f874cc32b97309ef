import Commands
import DaemonProtocol
import FoundationEssentials
import Testing

@Suite("The tree of coordinating programs")
struct ClaimsTreeTests {
    private func claim(_ number: UInt64, _ stage: ClaimStatus.Stage, behind: [UInt64] = []) -> ClaimStatus {
        ClaimStatus(
            claim: number, program: "vi\u{1B}m", pid: Int32(number), mode: .write, stage: stage, seconds: 3.9,
            waitsFor: behind, waitsForPresenters: stage == .asking ? [9] : nil, isStopped: false)
    }

    private var answer: ClaimsResponse {
        get throws {
            let (file, film) = (try MountPath("C/Documents/a.txt"), try MountPath("C/Documents/f/film"))
            let presenter = PresenterStatus(
                presenter: 9, program: "Notes", pid: 12, unanswered: 1, isSilent: false)
            return ClaimsResponse(
                items: [
                    ClaimedItem(
                        path: file, claims: [claim(1, .granted), claim(2, .waiting, behind: [1])],
                        presenters: [presenter]), ClaimedItem(path: film, claims: [claim(3, .asking)]),
                ],
                transfers: [TransferStatus(path: film, direction: .download, completedBytes: 256, totalBytes: 1024)])
        }
    }

    @Test("items are shown below their folders, with holders, waiting programs and download progress")
    func text() throws {
        #expect(
            try ClaimsTree(answer).lines == [
                "  C", "    Documents", "      a.txt", "        · claim 1: vi?m (pid 1) writes for 3 s",
                "        · claim 2: vi?m (pid 2) has waited for 3 s to write, behind claim 1 of vi?m (pid 1)",
                "        · presenter 9: Notes (pid 12) shows it, has a question to answer", "      f", "        film",
                "          · download: 25 % of 1.0 KiB",
                "          · claim 3: vi?m (pid 3) has waited for 3 s for presenters, to write, presenter 9 of Notes (pid 12)",
            ])
    }

    @Test("the JSON has the same tree, without empty fields")
    func json() throws {
        let data = try JSONEncoder().encode(try ClaimsTree(answer))
        let text = String(decoding: data, as: UTF8.self)
        struct Node: Decodable {
            struct Transfer: Decodable { let direction: String, percent: Double }
            let name: String
            let claims: [ClaimStatus]?
            let transfers: [Transfer]?
            let items: [Node]?
        }
        let tree = try JSONDecoder().decode([Node].self, from: data)
        let documents = try #require(tree.first?.items?.first)
        #expect(tree.map(\.name) == ["C"] && documents.items?.map(\.name) == ["a.txt", "f"], "\(text)")
        let film = try #require(documents.items?.last?.items?.first)
        #expect(film.transfers?.map(\.percent) == [25] && film.transfers?.first?.direction == "download")
        #expect(film.claims?.first?.waitsForPresenters == [9] && tree.first?.claims == nil)
    }

    @Test("where no program coordinates and no transfer runs there is no tree")
    func empty() { #expect(ClaimsTree(ClaimsResponse(items: [])).isEmpty) }
}
