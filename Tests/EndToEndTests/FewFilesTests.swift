import TestSupport
import Testing

extension EndToEnd {
    /// A state disk with room for few files, whatever their size.
    @Suite("A disk without room for files")
    struct FewFilesTests {
        @Test(
            "where the disk can hold no more files, documents that the cloud has are evicted; where none can be, status says why",
            arguments: [SmallDisk.tmpfsAsRoot, .tmpfsAsUser])
        func evicts(_ disk: SmallDisk) async throws {
            try await disk.run(
                #"""
                must start --minimum-free 0
                # 700 documents: more than fit.
                for round in 1 2 3 4 5 6 7; do
                    for n in $(seq 100); do must eval 'echo $round.$n > $D/$round.$n'; done
                    must u sync --wait $M
                done
                [ $(ls $D | wc -l) = 700 ] || fail "documents are missing"
                # Without the cloud nothing is evicted.
                must u offline $M
                for n in $(seq 600); do echo more > $D/more.$n 2>/dev/null || break; done
                [ $n -gt 20 ] && [ $n -lt 600 ] || fail "refused at $n"
                u status $M > $HOME/status; grep -q 'can hold no more files' $HOME/status || fail "status does not say it"
                # It may still report the full disk.
                must u online $M; u sync --wait $M || true
                must eval 'echo after > $D/after'
                must u unmount $M
                """#, megabytes: 64, files: 450)
        }
    }
}
