import Basics

/// The amount downloaded on each day, by program or other cause. Pure.
///
/// Bounded: ``maximumDays`` days, and for each the ``maximumPrograms`` programs with the most bytes; the rest are added
/// up.
package struct DownloadStatistics: Sendable {
    package struct Amount: Codable, Hashable, Sendable {
        /// How often the first bytes of a document arrived.
        package var documents: UInt64
        package var bytes: UInt64

        package init(documents: UInt64 = 0, bytes: UInt64 = 0) {
            self.documents = documents
            self.bytes = bytes
        }

        mutating func add(_ other: Amount) {
            documents = documents.saturatingSum(other.documents)
            bytes = bytes.saturatingSum(other.bytes)
        }
    }

    package struct Day: Hashable, Sendable {
        /// The number of the day since 1970, in the time zone of the device.
        package let number: Int64
        package fileprivate(set) var programs: [String: Amount] = [:]
        /// The sum of programs without a place among ``programs``.
        package fileprivate(set) var otherPrograms = Amount()
        /// Amounts by the names of ``DownloadCause/others``.
        package fileprivate(set) var causes: [String: Amount] = [:]

        init(_ number: Int64) { self.number = number }

        /// The sum of this day's downloads.
        package var total: Amount {
            (Array(programs.values) + Array(causes.values)).reduce(into: otherPrograms) { $0.add($1) }
        }

        mutating func add(_ amount: Amount, for cause: DownloadCause) {
            guard case .program(let name) = cause else {
                causes[cause.name, default: Amount()].add(amount)
                return
            }
            if programs[name] == nil, programs.count >= DownloadStatistics.maximumPrograms { dropSmallest() }
            programs[name, default: Amount()].add(amount)
        }

        private mutating func dropSmallest() {
            let smallest = programs.min {
                ($0.value.bytes, $0.value.documents, $0.key) < ($1.value.bytes, $1.value.documents, $1.key)
            }
            guard let smallest else { return }
            programs[smallest.key] = nil
            otherPrograms.add(smallest.value)
        }
    }

    package static let maximumDays = 30
    package static let maximumPrograms = 64

    /// A day is at the index of its number modulo ``maximumDays``, so a new day replaces the day a month ago.
    private var places: [Int: Day] = [:]
    private var changed: Set<Int> = []

    package init(_ days: [Day] = []) {
        for day in days { places[Self.place(of: day.number)] = day }
    }

    /// The place of a day: 0 to ``maximumDays`` − 1.
    package static func place(of day: Int64) -> Int {
        let rest = Int(day % Int64(maximumDays))
        return rest < 0 ? rest + maximumDays : rest
    }

    package mutating func add(_ amount: Amount, for cause: DownloadCause, on day: Int64) {
        let place = Self.place(of: day)
        var entry = places[place] ?? Day(day)
        if entry.number != day { entry = Day(day) }
        entry.add(amount, for: cause)
        places[place] = entry
        changed.insert(place)
    }

    /// Returns the days changed since the last call, to be stored.
    package mutating func takeChanged() -> [Day] {
        defer { changed = [] }
        return changed.sorted().compactMap { places[$0] }
    }

    /// Notes that these days could not be stored.
    package mutating func putBack(_ days: [Day]) { changed.formUnion(days.map { Self.place(of: $0.number) }) }

    /// Returns the last `count` days with downloads up to `today`, the latest first. Includes days in the future,
    /// recorded before the clock was set back.
    package func days(_ count: Int, until today: Int64) -> [Day] {
        let first = today.subtractingReportingOverflow(Int64(max(0, min(count, Self.maximumDays)))).partialValue
        return places.values.filter { $0.number > first }.sorted { $0.number > $1.number }
    }
}

extension DownloadStatistics.Day: Codable {
    private enum Key: String, CodingKey { case day, programs, otherPrograms, causes }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(try values.decode(Int64.self, forKey: .day))
        otherPrograms = try values.decode(DownloadStatistics.Amount.self, forKey: .otherPrograms)
        // The bounds hold for any bytes.
        for (name, amount) in try values.decode([String: DownloadStatistics.Amount].self, forKey: .programs) {
            add(amount, for: .program(name))
        }
        for (name, amount) in try values.decode([String: DownloadStatistics.Amount].self, forKey: .causes) {
            add(amount, for: DownloadCause.others.first { $0.name == name }?.cause ?? .unknown)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(number, forKey: .day)
        try values.encode(programs, forKey: .programs)
        try values.encode(otherPrograms, forKey: .otherPrograms)
        try values.encode(causes, forKey: .causes)
    }
}
