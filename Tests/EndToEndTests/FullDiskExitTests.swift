import TestSupport
import Testing

extension EndToEnd {
    /// A full disk with the state can always be emptied, whichever process filled it and whatever else happens.
    @Suite("Freeing space on a full disk", .needsRoot)
    struct FullDiskExitTests {
        @Test(
            "while another program takes every free block, attributes do not use the reserve, everything can be removed and evicted, and the mount starts",
            arguments: SmallDisk.allCases)
        func attributes(disk: SmallDisk) async throws {
            try await disk.run(
                #"""
                must start --minimum-free 0
                cd $D; for i in {1..100}; do : > e$i; done; bytes 5 > big1; bytes 3 > big2; bytes 2 > big3; cd /
                must u sync --wait $M
                must u pin $D/big1 $D/big2 $D/big3
                fill; neighbour
                stored=0
                for f in $D/e*; do
                    setfattr -n user.test -v "$(head -c 45000 /dev/zero | base64 -w0)" $f 2>/dev/null && stored=$((stored + 1))
                done
                [ $stored -lt 90 ] || fail "the disk was not full: $stored attributes"
                # Far more than all that is free: it fails, and takes nothing from what removals need.
                for i in {1..50}; do : 2>/dev/null > $D/new$i; setfattr -n user.x -v $i $D/e$i 2>/dev/null; done
                u status --json $M | grep '"diskFull"' > /dev/null || fail "status does not tell"
                must rm $D/big1
                must truncate -s 0 $D/big3
                must u unpin $D/big2
                must u evict $D/big2
                for f in $D/e*; do must rm $f; done
                u status --json $M | grep '"online"' > /dev/null || fail "the cloud is said to be away"
                must u sync --wait --timeout 60 $M
                must u unmount $M
                must start --minimum-free 0
                [ "$(cd $D; ls | tr '\n' ' ' | sed 's/new[0-9]* //g')" = "big2 big3 " ] || fail "other names: $(ls $D)"
                # The lock file has no pid where no block was free for it.
                pid=$(u status $M | sed -n 's/.*pid \([0-9]*\),.*/\1/p'); kill -9 $pid; while kill -0 $pid 2>/dev/null; do :; done
                must start --minimum-free 0
                must rm $D/big3
                touch $HOME/enough; wait $NEIGHBOUR; rm -f $DISK/ballast.*
                must u sync --wait --timeout 60 $M
                must sh -c "bytes=\$(cat $D/big2 | wc -c); [ \$bytes = 3000000 ]"
                must u check $M
                must u unmount $M
                """#, megabytes: 80)
        }

        @Test(
            "a disk full of edits is freed by uploads and evictions, and a write evicts bytes that are in the cloud",
            arguments: SmallDisk.allCases)
        func edits(disk: SmallDisk) async throws {
            try await disk.run(
                #"""
                must start
                before=$(df --output=size $M | tail -n 1)
                cd $D; for i in 1 2 3; do bytes 30 > up$i; done; cd /
                must u sync --wait $M
                # Each evicts some of what is uploaded: nothing is refused.
                for i in 1 2 3 4; do bytes 30 > $T/home/w$i; must cp $T/home/w$i $D/w$i; must u sync --wait $M; done
                for i in 1 2 3 4; do must cmp $T/home/w$i $D/w$i; done
                must u evict $D/w1 $D/w2
                mv $CLOUD $T/home/away
                # Without the cloud nothing is evicted: w3 and w4 stay.
                for i in {1..30}; do bytes 6 > $D/f$i 2>/dev/null || break; done
                for i in 3 4; do must cmp $T/home/w$i $D/w$i; done
                [ $i -lt 30 ] || fail "the disk was never full"
                cat $DISK/state/daemon.log | grep 'the disk of this device is full' > /dev/null || fail "it does not know"
                must cmp -n 1000000 $D/f1 $D/f1
                must rm $D/f$i
                fill
                must rm $D/f1
                fill
                must u unmount $M
                must start
                must ls -l $D/f2
                must cat $D/f2 > /dev/null
                [ "$(df --output=size $M | tail -n 1)" = "$before" ] || fail "df shows another size: $before, $(df -k $M)"
                mv $T/home/away $CLOUD
                must u sync --wait --timeout 90 $M
                u status --json $M | grep '"online"' > /dev/null || fail "the cloud is said to be away"
                [ "$(df --output=size $M | tail -n 1)" = "$before" ] || fail "df shows another size: $before, $(df -k $M)"
                rm -f $DISK/ballast.*
                must u evict $D/f2
                bytes 30 > $T/home/last; must cp $T/home/last $D/last
                must u sync --wait --timeout 90 $M
                must cmp $T/home/w1 $D/w1
                must u check $M
                must u unmount $M
                """#, megabytes: 200)
        }
    }
}
