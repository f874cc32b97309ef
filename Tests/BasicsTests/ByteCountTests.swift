import Basics
import Testing

@Suite("Byte counts")
struct ByteCountTests {
    @Test(
        "sizes are parsed in the usual notations",
        arguments: [
            ("0", 0), ("500", 500), ("64K", 65_536), ("1.5G", 1_610_612_736), ("10GiB", 10_737_418_240),
            ("10GB", 10_000_000_000), ("2 TB", 2_000_000_000_000), ("7b", 7), ("1m", 1_048_576),
        ])
    func reading(text: String, bytes: UInt64) { #expect(ByteCount(text)?.bytes == bytes) }

    @Test(
        "text that is not a size is rejected",
        arguments: ["", "G", "-1", "1X", "1GiBs", "1e99", "9999999P", "0x10", "1..2", "٣"])
    func refusing(text: String) { #expect(ByteCount(text) == nil) }

    @Test(
        "sizes are shown with at most three digits",
        arguments: [
            (UInt64(0), "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1536, "1.5 KiB"), (10 << 20, "10 MiB"),
            (999 << 20, "999 MiB"), (1 << 30, "1.0 GiB"), (.max, "16 EiB"),
        ])
    func showing(bytes: UInt64, text: String) { #expect("\(ByteCount(bytes))" == text) }
}
