import threading
import unittest

from support import FAST, DaemonTestCase, conflict, status
from ubiquity_desktop.follower import Follower, Pace

# No request is due by itself within a test.
QUIET = Pace(soon=0.01, busy=60, conflicts=60, idle=60)


class FollowerTests(DaemonTestCase):
    def setUp(self):
        super().setUp()
        self.changes, self.events = 0, []
        self.follower = None

    def follow(self, pace=QUIET, timing=FAST):
        self.follower = Follower("/m", self, self.loop, timing, pace)
        self.addCleanup(self.follower.close)
        self.loop.run_until(lambda: self.follower.facts.is_reached)

    # The owner.

    def find(self, path):
        return self.mounts.get(path)

    def learned(self):
        self.changes += 1

    def happened(self, mount, event):
        self.events.append((mount, event["kind"]))

    def asked(self):
        count = 0
        while not self.daemon.asked.empty():
            self.daemon.asked.get()
            count += 1
        return count

    def wait(self, holds):
        self.loop.run_until(lambda: holds(self.follower.facts))

    def test_the_facts_are_known_and_follow_events(self):
        self.follow()
        self.assertTrue(self.follower.facts.is_online)
        self.daemon.status = status(queue={"uploads": 1})
        self.daemon.happened("status", path="C/a")
        self.wait(lambda facts: facts.uploads == 1)
        self.assertEqual(self.events, [("/m", "status")])
        self.assertEqual(self.changes, 2)

    def test_thousands_of_events_cost_few_requests(self):
        self.follow(QUIET._replace(soon=0.2))
        self.asked()
        def write():
            for number in range(2_000):
                self.daemon.happened("created", path=f"C/{number}")

        # The socket takes less than that before the other side reads.
        threading.Thread(target=write, daemon=True).start()
        self.loop.run_until(lambda: len(self.events) == 2_000)
        self.daemon.status = status(queue={"downloads": 1})
        self.daemon.happened("status", path="C/a")
        self.wait(lambda facts: facts.downloads == 1)
        self.assertLess(self.asked(), 20)

    def test_an_idle_mount_is_asked_rarely_and_a_busy_one_often(self):
        self.follow(Pace(soon=0.01, busy=0.01, conflicts=60, idle=60))
        self.asked()
        self.daemon.status = status(queue={"uploads": 1})
        self.follower.refresh()
        self.wait(lambda facts: facts.uploads == 1)
        self.loop.run_until(lambda: self.daemon.asked.qsize() > 10)
        self.daemon.status = status()
        self.wait(lambda facts: facts.uploads == 0)
        self.asked()
        for _ in range(20):
            self.loop.run(0.01)
        self.assertEqual(self.asked(), 0)

    def test_conflicts_are_listed_when_their_number_changes_and_kept_meanwhile(self):
        self.follow()
        self.daemon.status, self.daemon.conflicts = status(conflicts=1), [conflict("C/a", "8.0")]
        self.daemon.happened("status", path="C/a")
        self.wait(lambda facts: [each.path for each in facts.conflicts] == ["C/a"])
        self.daemon.conflicts = []
        self.daemon.status = status(conflicts=1, queue={"uploads": 1})
        self.follower.refresh()
        self.wait(lambda facts: facts.uploads == 1)
        self.assertEqual(len(self.follower.facts.conflicts), 1)
        self.daemon.status = status()
        self.follower.refresh()
        self.wait(lambda facts: facts.conflicts == ())

    def test_facts_of_a_daemon_that_is_gone_are_unknown_and_come_back_with_it(self):
        self.follow()
        self.daemon.close()
        self.wait(lambda facts: not facts.is_reached)
        self.daemon = self.start({})
        self.wait(lambda facts: facts.is_reached)

    def test_a_frozen_daemon_counts_as_away(self):
        self.follow(timing=FAST._replace(answer=0.05, silence=0.1))
        self.wait(lambda facts: not facts.is_reached)

    def test_a_request_is_sent_and_its_refusal_is_returned(self):
        self.follow()
        answers = []
        self.assertTrue(self.follower.call("setOnline", {"isOnline": False}, answers.append))
        self.loop.run_until(lambda: len(answers) == 1)
        self.daemon.failure = "busy"
        self.assertTrue(self.follower.call("setOnline", {"isOnline": True}, answers.append))
        self.loop.run_until(lambda: len(answers) == 2)
        self.assertIn("response", answers[0])
        self.assertEqual(answers[1]["failure"]["code"], "busy")
        self.assertEqual(self.daemon.calls.get(), ("setOnline", {"isOnline": False}))

    def test_a_request_without_a_daemon_is_refused_and_one_under_way_ends_with_it(self):
        self.follow()
        answers = []
        self.daemon.released.clear()
        self.assertTrue(self.follower.call("emblems", {"paths": []}, answers.append))
        self.loop.run_until(lambda: not self.daemon.requests.empty())
        self.daemon.close()
        self.loop.run_until(lambda: answers == [None])
        self.assertFalse(self.follower.call("setOnline", {"isOnline": True}, answers.append))
        self.daemon.released.set()

    def test_a_metered_network_is_reported_once_and_again_to_a_daemon_that_comes_back(self):
        self.follow()
        self.follower.report_metered(False)
        self.follower.report_metered(True)
        self.follower.report_metered(True)
        self.loop.run_until(lambda: not self.daemon.calls.empty())
        self.assertEqual(self.daemon.calls.get(), ("reportMetered", {"isMetered": True}))
        self.daemon.close()
        self.wait(lambda facts: not facts.is_reached)
        self.assertTrue(self.daemon.calls.empty())
        self.daemon = self.start({})
        self.loop.run_until(lambda: not self.daemon.calls.empty())
        self.assertEqual(self.daemon.calls.get(), ("reportMetered", {"isMetered": True}))

    def test_a_report_follows_the_one_under_way_and_only_the_last_counts(self):
        self.follow()
        self.follower.report_metered(True)
        for value in (False, True, False):
            self.follower.report_metered(value)
        self.loop.run_until(lambda: self.daemon.calls.qsize() == 2)
        self.assertEqual(
            [self.daemon.calls.get()[1]["isMetered"] for _ in range(2)], [True, False])

    def test_a_report_that_failed_is_repeated_but_not_to_an_older_daemon(self):
        self.follow()
        self.daemon.failure = "failed"
        self.follower.report_metered(True)
        self.loop.run_until(lambda: not self.daemon.calls.empty())
        self.daemon.calls.get()
        self.daemon.failure = "unsupported"
        self.loop.run_until(lambda: self.follower.refresh() or not self.daemon.calls.empty())
        self.daemon.calls.get()
        for _ in range(3):
            self.asked()
            self.follower.refresh()
            self.loop.run_until(lambda: not self.daemon.asked.empty())
        self.assertTrue(self.daemon.calls.empty())

    def test_messages_that_make_no_sense_change_nothing_or_end_the_connection(self):
        self.follow()
        for value in (None, 7, [], {"mount": 7}):
            self.daemon.status = value
            self.follower.refresh()
            self.loop.run_until(lambda: not self.daemon.asked.empty())
            self.asked()
        self.daemon.status = status(queue={"uploads": 1})
        # A malformed response is followed by the pace of an idle mount, so an event brings the next one.
        self.daemon.happened("status", path="C/a")
        self.wait(lambda facts: facts.uploads == 1)

    def test_closing_ends_everything(self):
        self.follow()
        self.follower.close()
        self.assertEqual(self.loop._watched, {})
