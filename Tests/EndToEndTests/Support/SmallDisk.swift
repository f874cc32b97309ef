import Foundation
import TestSupport
import Testing

/// A small disk for a device's state, in separate namespaces: mounts and processes in them end with the script.
enum SmallDisk: String, CaseIterable, CustomTestStringConvertible {
    case ext4AsRoot
    case ext4AsUser
    case tmpfsAsRoot
    case tmpfsAsUser

    var testDescription: String { rawValue }

    private var isTmpfs: Bool { self == .tmpfsAsRoot || self == .tmpfsAsUser }
    private var user: Int { self == .ext4AsRoot || self == .tmpfsAsRoot ? 0 : 65_534 }

    /// Runs a script with these words: `$T`, a folder; `$DISK`, the small disk of `megabytes`; `$CLOUD`, a folder on
    /// another disk; `$M`, the mount point; `$D`, the documents; `start` mounts; `u` runs ubiquity; `must` ends the
    /// script unless a command succeeds; `fill` leaves no block free; `neighbour` takes each newly freed block from
    /// then on.
    ///
    /// - Parameter files: The disk's capacity in files; nil for as many as fit. Only tmpfs.
    func run(_ script: String, megabytes: Int, files: Int? = nil) async throws {
        try await TestDevices.with(devices: []) { test in
            let setUp = """
                T=\(test.root)/small; DISK=$T/disk; CLOUD=$T/home/cloud; M=$T/mount; mkdir -p $DISK $CLOUD $M $T/home/run $T/bin
                mount --bind \(try TestDevices.binaries()) $T/bin
                mknod -m 666 $T/fuse c 10 229; mount --bind $T/fuse /dev/fuse
                \(isTmpfs
                    ? "mount -t tmpfs -o size=\(megabytes)m\(files.map { ",nr_inodes=\($0)" } ?? "") none $DISK"
                    : "truncate -s \(megabytes)M $T/image; mkfs.ext4 -q -b 4096 -m 0 $T/image; mount -o loop $T/image $DISK")
                chmod 755 \(test.root) $T; chown -R \(user):\(user) $DISK $CLOUD $M $T/home
                export T DISK CLOUD M D=$M/CloudDocs/Documents HOME=$T/home UBIQUITY_SCOPE=$T
                for name in RUNTIME_DIR DATA_HOME STATE_HOME CONFIG_HOME CACHE_HOME; do export XDG_$name=$T/home/run; done
                cd /; setpriv --reuid \(user) --regid \(user) --clear-groups bash -uo pipefail -c "$1"
                """
            let outcome = try await ProgramRunner(environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], release: {})
                .run(
                    "unshare",
                    [
                        "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-euo", "pipefail", "-c",
                        setUp,
                        "small-disk", Self.words + script,
                    ], in: "/", limit: .seconds(240))
            _ = try outcome.text()
        }
    }

    private static let words = #"""
        u() { timeout 100 $T/bin/ubiquity "$@"; }
        start() { u mount $M --state $DISK/state --cloud file://$CLOUD --device a "$@"; }
        fail() { echo "failed: $*"; u status $M; df -k $DISK; ls -la $DISK/state; tail -n 30 $DISK/state/daemon.log; exit 1; } >&2
        must() { "$@" || fail "status $? of $*"; }
        fill() { until ! dd if=/dev/zero bs=4k of=$DISK/ballast.$RANDOM$RANDOM$RANDOM 2>/dev/null; do :; done; }
        neighbour() { while [ ! -e $HOME/enough ]; do fill; done & NEIGHBOUR=$!; }
        bytes() { head -c $(($1 * 1000000)) /dev/urandom; }

        """#
}
