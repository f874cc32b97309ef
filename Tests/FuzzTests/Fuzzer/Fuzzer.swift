import Foundation

/// libFuzzer as a library (llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library): it runs in this program's `main`.
enum Fuzzer {
    /// This process's fuzz target.
    fileprivate static let target = FuzzTarget.named(CommandLine.arguments[1])

    /// Runs libFuzzer and returns its exit status. `arguments` are as in `argv`.
    static func run(_ arguments: ArraySlice<String>) -> CInt {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var count = CInt(arguments.count)
        return pointers.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return runDriver(&count, &start, tryInput)
        }
    }
}

private typealias Input = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, _ input: Input
) -> CInt

/// A broken rule ends the process as a crash does, so that libFuzzer keeps the input.
private func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do { _ = try Fuzzer.target?.decode(bytes) } catch {
        let text = "violation: \(error)\n"
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        abort()
    }
    return 0
}
