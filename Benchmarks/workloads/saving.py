"""Durable saves, as editors and databases make them."""

import os
import sqlite3

from workloads.names import each
from workloads.workload import Figure, Stopwatch, Workload, write_file


class AtomicSaves(Workload):
    """save a document by temporary file, fsync and rename"""

    name = "saves"

    def figures(self, quick):
        return [Figure("save", "atomic save (temp, fsync, rename)", "op/s", saves(quick), goal=0.5)]

    def run(self, place):
        data = os.urandom(4096)

        def save(number):
            temporary = place.at("document.new")
            write_file(temporary, data, sync=True)
            os.rename(temporary, place.at(f"document {number % 10}"))

        return {"save": each(range(saves(place.quick)), save)}


class SQLite(Workload):
    """insert transactions, with a rollback journal and with a write-ahead log"""

    name = "sqlite"

    def figures(self, quick):
        return [
            Figure("journal", "SQLite inserts, rollback journal", "op/s", inserts(quick), goal=0.5),
            Figure("wal", "SQLite inserts, WAL", "op/s", inserts(quick), goal=0.7),
        ]

    def run(self, place):
        return {
            "journal": insert(place.at("journal.db"), "DELETE", inserts(place.quick)),
            "wal": insert(place.at("wal.db"), "WAL", inserts(place.quick)),
        }


def saves(quick):
    return 100 if quick else 300


def inserts(quick):
    return 100 if quick else 300


def insert(path, mode, count):
    """Returns the seconds for that many transactions of one row, each synced (SQLite's default, synchronous = FULL)."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute(f"PRAGMA journal_mode = {mode}")
        database.execute("CREATE TABLE line (text TEXT)")
        with Stopwatch() as watch:
            for number in range(count):
                database.execute("INSERT INTO line VALUES (?)", (f"line {number} " * 20,))
    finally:
        database.close()
    return watch.seconds
