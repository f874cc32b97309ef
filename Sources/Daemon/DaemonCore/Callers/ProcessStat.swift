/// The fields of `/proc/PID/stat` about a caller (proc_pid_stat(5)). A single read gives them all, and together they
/// identify the program behind a process number: numbers are used again, and a process may execute a new program.
package struct ProcessStat: Hashable, Sendable {
    package let id: Int32
    /// The name: up to 15 bytes of any kind but NUL, unescaped.
    package let name: [UInt8]
    package let parent: Int32
    /// The device number of the controlling terminal; 0 if there is none.
    package let terminal: Int32
    /// The process's start, in clock ticks since boot.
    package let start: UInt64
    /// The scheduling class (sched(7)).
    package let policy: Int32

    /// `SCHED_IDLE` of <linux/sched.h>.
    private static let idlePolicy: Int32 = 5

    package var isIdle: Bool { policy == Self.idlePolicy }

    /// Returns nil if the text has a different form.
    package init?(parsing text: [UInt8]) {
        // The name may contain parentheses and spaces; nothing after it does.
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
            open < close, let id = Self.number(text[..<open]) as Int32?
        else { return nil }
        let fields = text[(close + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        /// The field of a number in the manual page; the state is field 3.
        func field<Value: FixedWidthInteger>(_ index: Int) -> Value? {
            fields.indices.contains(index - 3) ? Self.number(fields[index - 3]) : nil
        }
        guard let parent: Int32 = field(4), let terminal: Int32 = field(7), let start: UInt64 = field(22),
            let policy: Int32 = field(41)
        else { return nil }
        self.id = id
        name = Array(text[(open + 1)..<close])
        self.parent = parent
        self.terminal = terminal
        self.start = start
        self.policy = policy
    }

    private static func number<Value: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Value? {
        Value(String(decoding: digits.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }
}
