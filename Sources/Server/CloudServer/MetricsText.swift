import ServerStorage

/// Metrics in the text format of Prometheus (prometheus.io/docs/instrumenting/exposition_formats).
struct MetricsText {
    private(set) var text = ""

    mutating func add(_ statistics: ServerStatistics) {
        one("ubiquity_accounts", "gauge", "Accounts.", statistics.accounts.count)
        if let free = statistics.freeBytes {
            one("ubiquity_disk_free_bytes", "gauge", "Free space on the disk of the data directory.", free)
        }
        one("ubiquity_database_bytes", "gauge", "Size of the database.", statistics.databaseBytes)
        perAccount("ubiquity_account_used_bytes", "Bytes that an account stores.", statistics) { $0.used }
        perAccount(
            "ubiquity_account_quota_bytes", "Bytes that an account may store; absent without a limit.", statistics
        ) {
            $0.quota
        }
        perAccount("ubiquity_account_devices", "Devices signed in.", statistics) { UInt64($0.devices) }
        perAccount("ubiquity_account_containers", "Containers.", statistics) { UInt64($0.containers) }
        perAccount("ubiquity_account_log_entries", "Entries in the logs of its containers.", statistics) { $0.entries }
    }

    mutating func add(_ setBack: SetBack) {
        one(
            "ubiquity_database_set_back", "gauge", "Whether the database went back to an earlier state.",
            setBack.database == nil ? 0 : 1)
        one("ubiquity_logs_set_back", "gauge", "Logs that lack entries which devices have read.", setBack.logs)
    }

    private mutating func perAccount(
        _ name: String, _ help: String, _ statistics: ServerStatistics,
        _ value: (ServerStatistics.Account) -> UInt64?
    ) {
        family(name, "gauge", help)
        for account in statistics.accounts {
            if let value = value(account) { sample(name, [("account", "\(account.id)")], "\(value)") }
        }
    }

    mutating func add(_ process: ProcessUse, uptime: Duration, health: Bool, bodyBytes: Int) {
        one(
            "ubiquity_healthy", "gauge", "Whether the last health check of database and disk succeeded.", health ? 1 : 0
        )
        one("ubiquity_body_bytes", "gauge", "Memory of request and response bodies.", bodyBytes)
        one("ubiquity_uptime_seconds", "gauge", "Time since the start.", Int(uptime / .seconds(1)))
        one("process_resident_memory_bytes", "gauge", "Memory of the process.", process.residentBytes)
        one("process_open_fds", "gauge", "Open file descriptors.", process.descriptors)
        one("process_cpu_seconds_total", "counter", "Processor time, user and system.", process.processorSeconds)
    }

    private mutating func one(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
        family(name, type, help)
        sample(name, [], value.description)
    }

    /// Appends the samples of a histogram; each bucket includes the counts of those below it.
    mutating func histogram(_ name: String, _ labels: [(String, String)], _ counts: PrometheusHistogram.Counts) {
        var total: UInt64 = 0
        for (bound, count) in zip(counts.bounds.map { "\($0)" } + ["+Inf"], counts.counts) {
            total += count
            sample("\(name)_bucket", labels + [("le", bound)], "\(total)")
        }
        sample("\(name)_sum", labels, "\(counts.seconds)")
        sample("\(name)_count", labels, "\(total)")
    }

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Appends one sample. Labels are path patterns and numbers, which need no escapes.
    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }
}
