import TestSupport
import Testing

extension EndToEnd {
    @Suite("Extended attributes")
    struct ExtendedAttributeTests {
        @Test("the document's own attributes work as on a disk and are synced to B")
        func own() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.expectSameEverywhere(
                    """
                    echo x > f; mkdir d; setfattr -n user.tag -v red f; setfattr -n user.tag -v blue d; setfattr -n user.empty f
                    setfattr -n user.bytes -v 0x00ff0a f; setfattr -n user.gone -v x f; setfattr -x user.gone f
                    test "$(getfattr --only-values -n user.tag f)" = red; ! getfattr -n user.gone f 2> /dev/null
                    ! setfattr -x user.none f 2> /dev/null; setfattr -n user.long -v $(printf 'v%.0s' $(seq 1 3000)) f
                    getfattr -d -m - f d
                    """)
                #expect(try await test.b.shell("getfattr --only-values -n user.bytes f | od -An -tx1") == " 00 ff 0a")
                try await test.a.shell("setfattr -n user.tag -v green f; setfattr -x user.empty f")
                try await test.expectConverged()
                #expect(try await test.b.shell("getfattr --only-values -n user.tag f") == "green")
            }
        }

        @Test("an unknown name below user.ubiquity. is refused with EINVAL, and not stored")
        func unknownNames() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("echo x > f; mkdir d")
                for name in ["nope", "isSyncPausd", "", "Pin"] {
                    for item in ["f", "d"] {
                        let refused = try await a.tryShell("setfattr -n user.ubiquity.\(name) -v foo \(item)")
                        #expect(refused.errors.contains("Invalid argument"), "\(name): \(refused)")
                        let kept = try await a.tryShell("getfattr -n user.ubiquity.\(name) \(item)")
                        #expect(kept.errors.contains("No such attribute"), "\(name): \(kept)")
                    }
                }
            }
        }

        @Test(
            "cp -a, rsync -X, tar --xattrs and mv copy a document's own attributes and none of the ubiquity attributes")
        func copies() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell(
                    "echo x > f; setfattr -n user.tag -v red f; ubiquity=$(getfattr -d -m - f); test -n \"$ubiquity\"")
                #expect(try await !a.shell("getfattr -d -m - f").contains("ubiquity"))
                try await a.shell(
                    """
                    out=$(mktemp -d); cp -a f $out/copied; rsync -aX f $out/synced; tar --xattrs --xattrs-include='*' -cf $out/t.tar f
                    tar -C $out --xattrs --xattrs-include='*' -xf $out/t.tar; cp -a f again; mv again $out/moved
                    for file in copied synced f moved; do
                        test "$(getfattr --only-values -n user.tag $out/$file)" = red
                        ! getfattr -d -m - $out/$file 2> /dev/null | grep ubiquity
                    done
                    rm -r $out
                    """)
                try await a.shell("cp -a f g; cp -a --preserve=all f h; rsync -aX f i")
                let ids = try await [a.status("f"), a.status("g"), a.status("h"), a.status("i")].map(\.itemID)
                #expect(Set(ids).count == 4, "a copy is a document of its own")
            }
        }
    }
}
