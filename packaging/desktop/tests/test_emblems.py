import time
import unittest

import support
from support import DaemonTestCase


class EmblemTests(DaemonTestCase):
    def test_what_a_view_asks_one_by_one_is_one_request(self):
        self.connect()
        paths = [f"/m/{number}" for number in range(300)]
        self.daemon.states = {path[3:]: "cloud" for path in paths}
        for path in paths:
            self.assertIsNone(self.emblems.state(path))
        self.assertEqual(self.next_request(), [path[3:] for path in paths])
        self.wait_for(paths[-1], "cloud")
        self.assertEqual({self.emblems.state(path) for path in paths}, {"cloud"})
        self.assertEqual(sorted(sum(self.changes, [])), sorted(paths))
        self.assertTrue(self.daemon.requests.empty())

    def test_a_request_has_at_most_a_thousand_paths_and_waits_for_the_one_before(self):
        self.connect()
        self.daemon.released.clear()
        for number in range(2_500):
            self.emblems.state(f"/m/{number}")
        self.assertEqual(len(self.next_request()), 1_000)
        for number in range(10):
            self.emblems.state(f"/m/later{number}")
            self.loop.run(0.01)
        self.assertTrue(self.daemon.requests.empty())
        self.daemon.released.set()
        self.assertEqual([len(self.next_request()) for _ in range(2)], [1_000, 510])

    def test_long_requests_are_sent_in_parts_to_a_daemon_that_reads_slowly(self):
        self.connect()
        paths = [f"/m/{number}-{'x' * 900}" for number in range(1_000)]
        self.daemon.states = {path[3:]: "here" for path in paths}
        for path in paths:
            self.emblems.state(path)
        self.wait_for(paths[-1], "here")
        self.assertEqual({self.emblems.state(path) for path in paths}, {"here"})

    def test_a_view_never_waits_for_a_daemon_that_is_silent(self):
        self.connect()
        self.daemon.released.clear()
        self.emblems.state("/m/first")
        self.next_request()
        started = time.monotonic()
        for number in range(1_000):
            self.emblems.state(f"/m/{number}")
            self.loop.run(0)
        self.emblems.refresh(["/m"])
        self.assertLess(time.monotonic() - started, 2)

    def test_a_daemon_that_does_not_answer_counts_as_away(self):
        self.daemon.states = {"a": "here"}
        self.emblems = support.Emblems(
            self.changes.append, self.loop, lambda: dict(self.mounts), support.FAST._replace(answer=0.05))
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "here")
        self.daemon.released.clear()
        self.emblems.refresh(["/m/a"])
        self.wait_for("/m/a", None)
        self.daemon.released.set()
        self.wait_for("/m/a", "here")

    def test_files_outside_of_mounts_ask_no_daemon(self):
        self.connect()
        self.assertEqual(self.emblems.state("/home/u/a"), "outside")
        self.assertEqual(self.emblems.state("/mount"), "outside")
        self.emblems.state("/m/a")
        self.assertEqual(self.next_request(), ["a"])
        self.assertEqual(self.emblems.state("/home/u/a"), "outside")

    def test_each_of_two_mounts_is_asked_for_its_own_files(self):
        other = support.Daemon(f"{self.folder}/other.sock", {"a": "cloud"})
        self.addCleanup(other.close)
        self.daemon.states = {"a": "here", "inner/a": "failed"}
        self.mounts["/m/inner"] = support.Mount("/m/inner", other.path, 1)
        self.emblems.state("/m/a")
        self.emblems.state("/m/inner/a")
        self.wait_for("/m/a", "here")
        self.wait_for("/m/inner/a", "cloud")
        other.close()
        self.wait_for("/m/inner/a", None)
        self.assertEqual(self.emblems.state("/m/a"), "here")

    def test_an_event_asks_again_and_reports_a_change_only_if_there_is_one(self):
        self.connect()
        self.daemon.states = {"a": "here", "b": "here"}
        for path in ("/m/a", "/m/b"):
            self.emblems.state(path)
            self.wait_for(path, "here")
        self.drain()
        self.daemon.states["b"] = "cloud"
        self.daemon.happened("status", path="a")
        self.assertEqual(self.next_request(), ["a"])
        self.daemon.happened("moved", path="b", **{"from": "z"})
        self.assertEqual(self.next_request(), ["b"])
        self.wait_for("/m/b", "cloud")
        self.assertEqual(self.changes, [["/m/b"]])
        # No view has asked for this one.
        self.daemon.happened("created", path="c")
        self.daemon.happened("status", path="a")
        self.assertEqual(self.next_request(), ["a"])

    def test_a_change_inside_of_a_package_asks_for_the_package(self):
        self.connect()
        self.daemon.states = {"d": "folder", "d/p.rtfd": "here"}
        for path in ("/m/d", "/m/d/p.rtfd"):
            self.emblems.state(path)
        self.wait_for("/m/d/p.rtfd", "here")
        self.wait_for("/m/d", "folder")
        self.drain()
        self.daemon.happened("status", path="d/p.rtfd/TXT.rtf")
        self.assertEqual(self.next_request(), ["d/p.rtfd"])

    def test_missed_events_ask_for_everything_again(self):
        self.connect()
        for path in ("/m/a", "/m/b"):
            self.emblems.state(path)
            self.wait_for(path, "unknown")
        self.drain()
        self.daemon.happened("missed", count=7)
        self.assertEqual(sorted(self.next_request()), ["", "a", "b"])

    def test_a_command_asks_again_for_what_is_in_its_folder(self):
        self.connect()
        for path in ("/m/d", "/m/d/a", "/m/da"):
            self.emblems.state(path)
            self.wait_for(path, "unknown")
        self.drain()
        self.emblems.refresh(["/m/d"])
        self.assertEqual(self.next_request(), ["d", "d/a"])

    def test_a_daemon_that_ends_takes_its_states_along_and_its_successor_is_found(self):
        self.daemon.states = {"a": "here"}
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "here")
        self.daemon.close()
        self.wait_for("/m/a", None)
        self.daemon = self.start({"a": "cloud"})
        self.wait_for("/m/a", "cloud")

    def test_a_refusal_and_nonsense_end_the_connection_and_the_next_one_works(self):
        self.daemon.states = {"a": "here"}
        nonsense = [lambda _: [], lambda _: [7], lambda _: {}, lambda _: None, lambda paths: ["here"] * (len(paths) + 1)]
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "here")
        for respond in nonsense:
            with self.subTest(respond=respond):
                usual, self.daemon.respond = self.daemon.respond, respond
                self.emblems.refresh(["/m/a"])
                self.wait_for("/m/a", None)
                self.daemon.respond = usual
                self.wait_for("/m/a", "here")
        for code in ("busy", "unsupported"):
            self.daemon.failure = code
            self.emblems.refresh(["/m/a"])
            self.wait_for("/m/a", None)
            self.daemon.failure = None
            self.wait_for("/m/a", "here")

    def test_a_frame_that_is_too_long_ends_the_connection(self):
        self.daemon.states = {"a": "here"}
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "here")
        self.drain()
        self.daemon.send_raw(support.oversized())
        self.loop.run_until(lambda: self.changes)
        self.assertEqual(self.changes[0], ["/m/a"])
        self.wait_for("/m/a", "here")

    def test_any_messages_of_a_daemon_end_the_connection_or_are_ignored(self):
        import random
        self.daemon.states = {"a": "here"}
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "here")
        generator = random.Random(3)
        values = [None, 7, "x", [], {}, {"happened": 7}, {"happened": {"kind": []}}, {"happened": {"path": 7, "from": {}}}]
        for _ in range(300):
            keys = generator.sample(["id", "event", "response", "failure"], 2)
            message = {key: generator.choice([*values, 1, 2]) for key in keys}
            self.daemon.send(message)
            self.loop.run(0)
        self.wait_for("/m/a", "here")

    def test_without_a_daemon_nothing_is_known_and_nothing_fails(self):
        self.daemon.close()
        self.emblems.state("/m/a")
        self.wait_for("/m/a", None)
        self.daemon = self.start({"a": "cloud"})
        self.wait_for("/m/a", "cloud")

    def test_the_number_of_followed_files_is_bounded(self):
        from ubiquity_desktop.emblems import LIMIT as followed
        for number in range(followed + 500):
            self.emblems.state(f"/home/{number}")
        self.assertEqual(len(self.emblems._known), followed)

    def test_closing_leaves_nothing_in_the_loop(self):
        self.connect()
        self.emblems.state("/m/a")
        self.emblems.close()
        self.assertEqual((self.loop._watched, self.loop._calls), ({}, {}))


if __name__ == "__main__":
    unittest.main()
