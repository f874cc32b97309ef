/// Arithmetic that never traps on external numbers (from the kernel, a disk, a remote device, a clock): an overflowing
/// result becomes the nearest representable value.
extension FixedWidthInteger {
    /// Returns the sum, or the nearest representable value.
    package func saturatingSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// Returns the product, or the nearest representable value.
    package func saturatingProduct(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// Creates the value rounded toward zero, or the nearest representable one; 0 for NaN.
    package init(clamping value: Double) {
        let whole = value.rounded(.towardZero)
        self = whole.isNaN ? 0 : Self(exactly: whole) ?? (whole < 0 ? .min : .max)
    }
}

extension Range where Bound == UInt64 {
    /// Creates the requested byte range of a file.
    /// - Returns: Nil for a negative offset or count, or if the last byte would be beyond the largest `off_t`.
    package init?(offset: Int64, count: Int) {
        guard offset >= 0, count >= 0, !offset.addingReportingOverflow(Int64(count)).overflow else { return nil }
        self = UInt64(offset)..<UInt64(offset) + UInt64(count)
    }
}
