import Testing

/// Every test creates a real mount; if the mount fails, so does the test.
@Suite("File operations over a mount")
struct FuseOperationTests {
    @Test("Written data can be read, appended to, truncated and read again")
    func content() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                "printf one > f && cat f && printf two >> f && cat f && truncate -s 4 f && cat f && stat -c %s f")
            #expect(outcome.output == "oneonetwoonet4\n")
        }
    }

    @Test("A file larger than one request is read back unchanged", arguments: [1, 4])
    func largeContent(readers: Int) async throws {
        try await FuseFixture.with(["--readers", "\(readers)"]) { mount async throws in
            let outcome = try await mount.shell("cp ../native f && cmp f ../native && echo same")
            #expect(outcome.output == "same\n")
        }
    }

    @Test("A folder of 3,000 entries is listed completely, each entry once")
    func listing() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                "mkdir d && cd d && seq 3000 | xargs touch && ls | sort -n | md5sum && seq 3000 | md5sum && ls -l | wc -l"
            )
            let lines = outcome.output.split(separator: "\n")
            try #require(lines.count == 3)
            #expect(lines[0] == lines[1])
            #expect(lines[2] == "3001")
        }
    }

    @Test("Renames move, replace, refuse and exchange as renameat2(2) specifies")
    func renaming() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                """
                mkdir d; printf 1 > a; mv a d/b; cat d/b; printf 2 > c; mv -f c d/b; cat d/b; ls; \
                printf 3 > e; mv -n e d/b; cat d/b e
                """)
            #expect(outcome.output == "12d\ndropped\nheld\nstuck\n23")
        }
    }

    @Test("Links, modes, times and extended attributes are kept")
    func metadata() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                """
                printf x > f; ln -s f s; readlink s; ln f h; stat -c %h f; chmod 640 f; stat -c %a f; \
                touch -d @1234567890 f; stat -c %Y f; \
                python3 -c 'import os; os.setxattr("f", "user.k", b"v"); print(os.getxattr("f", "user.k"), os.listxattr("f"))'; \
                stat -f -c '%b %f %a' .
                """)
            #expect(outcome.output == "f\n2\n640\n1234567890\nb'v' ['user.k']\n1000 600 500\n")
        }
    }

    @Test("Errors reach the program as they were sent")
    func errors() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                "mkdir d; touch d/x; rmdir d; mkdir d; cat none; mkfifo p; rm d; true")
            let expected = [
                "Directory not empty", "File exists", "No such file", "Function not implemented", "Is a directory",
            ]
            let lines = outcome.output.split(separator: "\n")
            try #require(lines.count == expected.count, "\(outcome.output)")
            for (line, text) in zip(lines, expected) { #expect(line.contains(text)) }
        }
    }

    @Test("A file that was removed while open can still be read and written")
    func unlinkedWhileOpen() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell("printf abc > f; exec 3<>f; rm f; cat <&3; printf d >&3; ls f")
            #expect(outcome.output.hasPrefix("abc"))
            #expect(outcome.output.contains("No such file"))
        }
    }

    @Test("flock and POSIX locks work without requests of their own")
    func locks() async throws {
        try await FuseFixture.with { mount async throws in
            let outcome = try await mount.shell(
                """
                touch f; exec 3<f; flock -n 3 && echo held; flock -n f true || echo refused; \
                python3 -c 'import fcntl; fcntl.lockf(open("f", "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("posix")'
                """)
            #expect(outcome.output == "held\nrefused\nposix\n")
        }
    }
}
