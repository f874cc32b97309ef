/// Common work of programs, with counted requests and transactions. docs/PERFORMANCE.md has the counts.
struct RequestWorkload: Sendable, CustomStringConvertible {
    /// Its name in the table of docs/PERFORMANCE.md.
    let name: String
    let script: String
    /// Runs before, and is in the cloud when the script starts.
    var preparation = "true"
    /// Whether the device is mounted again between the two, so that the kernel knows nothing.
    var isCold = false
    /// How many requests of each kind may be more or fewer, where the program itself decides by the clock.
    var tolerance = 0

    var description: String { name }

    static let all = names + bytes + programs

    // MARK: Names and attributes

    private static let names = [
        RequestWorkload(
            name: "look for an absent name, three times", script: "for i in 1 2 3; do test ! -e absent; done"),
        RequestWorkload(name: "`stat` after a write", script: "stat file > /dev/null", preparation: "echo text > file"),
        RequestWorkload(
            name: "`stat`, again", script: "stat file file > /dev/null", preparation: "echo text > file; stat file"),
        RequestWorkload(
            name: "`ls -l` of 1,000 files, cold", script: "ls -l folder > /dev/null",
            preparation: "mkdir folder; touch folder/{1..1000}", isCold: true),
        // The kernel probes for access lists, once of the folder and once of the first entry, and does not cache the results.
        RequestWorkload(
            name: "`ls -l` of 1,000 files, warm", script: "ls -l folder > /dev/null",
            preparation: "mkdir folder; touch folder/{1..1000}; ls -l folder; ls -l folder"),
        RequestWorkload(name: "rename", script: "mv old new", preparation: ": > old; test ! -e new"),
        RequestWorkload(name: "unlink", script: "rm file", preparation: ": > file; stat file"),
        RequestWorkload(
            name: "`link(2)`, which is refused", script: "{ ln file other 2>&1 || true; } | grep -q 'not permitted'",
            preparation: ": > file; { ln file other 2>&1 || true; } | grep -q 'not permitted'"),
        RequestWorkload(
            name: "`getxattr` of a status, twice",
            script: "for i in 1 2; do getfattr --only-values -n user.ubiquity.isUploaded file > /dev/null; done",
            preparation: "echo text > file; stat file"),
    ]

    // MARK: Bytes

    private static let bytes = [
        RequestWorkload(
            name: "create a file of 4 KiB", script: "dd if=/dev/zero of=new bs=4096 count=1 conv=excl status=none"),
        RequestWorkload(
            name: "open, read and close a small file", script: "cat file > /dev/null",
            preparation: "echo hello > file; cat file; stat file"),
        RequestWorkload(
            name: "`grep -r` of 50 small files", script: "grep -r nothing folder || true",
            preparation:
                "mkdir folder; for i in {1..50}; do echo $i > folder/$i; done; grep -r nothing folder || stat folder/*"),
        RequestWorkload(
            name: "1,000 writes to an open file",
            script: "dd if=/dev/zero of=file bs=4096 count=1000 conv=notrunc status=none",
            preparation: "dd if=/dev/zero of=file bs=4096 count=1000 conv=notrunc status=none"),
        RequestWorkload(
            name: "copy a file", script: "cp file copy",
            preparation: "head -c 1000000 /dev/zero > file; stat file; test ! -e copy"),
        RequestWorkload(
            name: "atomic save (write, `fsync`, rename)",
            script: "dd if=/dev/zero of=temporary bs=4096 count=1 conv=fsync status=none; mv temporary document",
            preparation: "echo old > document; stat document"),
    ]

    // MARK: Programs

    /// Three folders with five files each.
    private static let tree = """
        mkdir -p tree/{a,b,c}; for i in tree/{a,b,c}/{1..5}; do echo $i > $i; done; find tree -ls; cat tree/*/*
        """

    private static let programs = [
        RequestWorkload(name: "`cp -a` of 3 folders and 15 files", script: "cp -a tree copy", preparation: tree),
        RequestWorkload(
            name: "`tar -x` of 3 folders and 15 files", script: "tar -xf tree.tar",
            preparation: "\(tree); tar -cf tree.tar tree; rm -r tree; cat tree.tar"),
        RequestWorkload(
            // The date is part of the commit, and the commit's hash selects its folder.
            name: "`git add` and `git commit` of 10 files",
            script: """
                cd repository; git add .
                GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git commit -qm first
                """,
            preparation: """
                git init -q repository; cd repository; for i in {1..10}; do echo $i > $i; done
                touch -d '2026-01-01' *; git config gc.auto 0; git config maintenance.auto false; git status; git status
                """,
            // git rereads a file changed in the same second as its index was written (git's
            // Documentation/technical/racy-git.txt).
            tolerance: 12),
        RequestWorkload(
            name: "SQLite, one transaction with a rollback journal", script: insert(1),
            preparation: "sqlite3 data 'CREATE TABLE numbers (number)'; \(insert(1))"),
        RequestWorkload(
            name: "SQLite, eleven of them", script: insert(11),
            preparation: "sqlite3 data 'CREATE TABLE numbers (number)'; \(insert(1))"),
    ]

    private static func insert(_ count: Int) -> String {
        "for i in {1..\(count)}; do echo 'INSERT INTO numbers VALUES (1);'; done | sqlite3 data"
    }
}
