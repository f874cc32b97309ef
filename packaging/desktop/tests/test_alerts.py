import unittest

import support  # noqa: F401
from ubiquity_desktop.facts import Conflict, Facts, Refusal, Trouble
from ubiquity_desktop.alerts import Alerts

ONLINE = Facts("/home/u/Mobile", is_reached=True, is_online=True)
HOUR = 3_600


def offline(reason, message="The cloud is full."):
    return ONLINE._replace(is_online=False, reason=reason, message=message)


class AlertTests(unittest.TestCase):
    def setUp(self):
        self.alerts = Alerts()

    def titles(self, facts, now=0):
        return [alert.title for alert in self.alerts.update([facts], now).shown]

    def test_a_mount_without_problems_shows_nothing(self):
        for facts in (ONLINE, Facts("/m"), offline("unreachable"), offline("connecting"), offline("takenOffline"), offline(None)):
            self.assertEqual(self.titles(facts), [])

    def test_each_conflict_is_shown_once_with_its_versions_and_not_again_after_a_rename(self):
        (alert,) = self.alerts.update([ONLINE._replace(conflicts=(Conflict("C/a.txt", ("8.0",)),))], 0).shown
        self.assertEqual(alert.title, "a.txt is in conflict")
        self.assertEqual(alert.buttons, (("Show Versions", ("versions", "/home/u/Mobile/C/a.txt")),))
        self.assertEqual(self.titles(ONLINE._replace(conflicts=(Conflict("C/b.txt", ("8.0",)),)), 10), [])
        self.assertEqual(self.titles(ONLINE._replace(conflicts=(Conflict("C/b.txt", ("8.0", "9.0")),)), 20), ["b.txt is in conflict"])

    def test_a_conflict_that_was_shown_in_a_former_session_is_not_shown_again(self):
        facts = ONLINE._replace(conflicts=(Conflict("C/a.txt", ("8.0",)),))
        self.titles(facts)
        self.alerts = Alerts(self.alerts.remembered)
        self.assertEqual(self.titles(facts, 30 * 86_400), [])

    def test_many_conflicts_at_once_are_one_notification(self):
        facts = ONLINE._replace(conflicts=tuple(Conflict(f"C/{number}", ("8.0",)) for number in range(4)))
        # Versions are named by container, so one version of four documents is one cause; here each has its own.
        facts = facts._replace(conflicts=tuple(Conflict(f"C/{number}", (f"{number}.0",)) for number in range(50)))
        self.assertEqual(self.titles(facts), ["50 documents are in conflict"])

    def test_a_notification_closes_with_its_cause_but_not_while_the_daemon_is_away(self):
        facts = ONLINE._replace(conflicts=(Conflict("C/a.txt", ("8.0",)),))
        (alert,) = self.alerts.update([facts], 0).shown
        self.assertEqual(self.alerts.update([Facts(ONLINE.mount)], 1).closed, ())
        self.assertEqual(self.alerts.update([ONLINE], 2).closed, (alert.key,))
        self.assertEqual(self.alerts.update([ONLINE], 3).closed, ())

    def test_the_notifications_of_a_mount_that_is_gone_close(self):
        (alert,) = self.alerts.update([offline("full")], 0).shown
        self.assertEqual(self.alerts.update([], 1).closed, (alert.key,))

    def test_one_that_a_person_closed_is_not_closed_again(self):
        (alert,) = self.alerts.update([offline("full")], 0).shown
        self.alerts.dismissed(alert.key)
        self.assertEqual(self.alerts.update([ONLINE], 1).closed, ())

    def test_a_full_cloud_is_shown_once_while_it_comes_and_goes_and_again_after_an_hour_without(self):
        self.assertEqual(self.titles(offline("full")), ["The cloud is full"])
        for now in range(1, 500):
            self.assertEqual(self.titles(ONLINE if now % 2 else offline("full"), now), [])
        self.titles(ONLINE, 500)
        self.titles(ONLINE, 499 + HOUR)
        self.assertEqual(self.titles(offline("full"), 501 + HOUR), ["The cloud is full"])

    def test_a_cloud_that_refuses_and_one_of_another_version_need_a_person(self):
        self.assertEqual(self.titles(offline("refused")), ["The cloud refuses this device"])
        self.assertEqual(self.titles(offline("stopped")), ["Documents are not synced"])

    def test_a_device_that_is_signed_out_is_shown_if_it_lasts(self):
        facts = offline("refused", "Sign in with: ubiquity login.")._replace(is_signed_in=False)
        self.assertEqual(self.titles(facts, 0), [])
        self.assertEqual(self.titles(facts, 21), ["This device is signed out"])

    def test_failures_of_transfers_are_shown_only_if_they_last_and_the_cloud_is_there(self):
        failed = (Trouble("failed", "The server failed.", "C/a.txt"),)
        self.assertEqual(self.titles(ONLINE._replace(troubles=failed), 0), [])
        self.assertEqual(self.titles(ONLINE, 10), [])
        self.assertEqual(self.titles(ONLINE._replace(troubles=failed), 20), [])
        self.assertEqual(self.titles(ONLINE._replace(troubles=failed), 39), [])
        self.assertEqual(self.titles(ONLINE._replace(troubles=failed), 41), ["a.txt is not synced"])
        self.alerts = Alerts()
        for now in (0, 100, 200):
            self.assertEqual(self.titles(offline("unreachable")._replace(troubles=failed), now), [])

    def test_one_failure_of_many_documents_is_one_notification(self):
        troubles = tuple(Trouble("damaged", "It is damaged.", f"C/{number}") for number in range(80))
        self.assertEqual(self.titles(ONLINE._replace(troubles=troubles)), ["80 documents are not synced"])
        self.assertEqual(self.titles(ONLINE._replace(troubles=troubles[:3]), 1), [])

    def test_the_failure_of_a_document_because_the_cloud_is_full_is_not_a_second_notification(self):
        facts = offline("full")._replace(troubles=(Trouble("failed", "The cloud is full.", "C/a"),))
        for now in (0, 100):
            self.assertEqual(self.titles(facts, now), ["The cloud is full"] if now == 0 else [])

    def test_nor_is_it_while_the_cloud_seems_to_be_there_between_two_attempts(self):
        failed = (Trouble("failed", "The cloud is full.", "C/a"),)
        self.assertEqual(self.titles(offline("full"), 0), ["The cloud is full"])
        for now in range(1, 200, 10):
            self.assertEqual(self.titles(ONLINE._replace(troubles=failed), now), [])

    def test_a_full_disk_is_shown_even_while_the_cloud_is_away(self):
        disk = (Trouble("diskFull", "The disk of this device is full.", "/state"),)
        self.assertEqual(self.titles(offline("unreachable")._replace(troubles=disk)), ["The disk of this device is full"])

    def test_a_program_that_looks_into_many_documents_is_asked_about_once(self):
        facts = ONLINE._replace(refusals=(Refusal("indexer", 600),))
        (alert,) = self.alerts.update([facts], 0).shown
        self.assertEqual(alert.title, "indexer is reading 64 documents that are not on this device")
        place = ONLINE.mount
        self.assertEqual(alert.buttons, (("Allow", ("allow", place, "indexer")), ("Stop", ("stop", place, "indexer"))))
        self.assertEqual(self.titles(ONLINE._replace(refusals=(Refusal("indexer", 540),)), 60), [])
        self.assertEqual(self.alerts.update([ONLINE], 600).closed, (alert.key,))

    def test_a_program_that_was_stopped_is_not_asked_about_for_a_day(self):
        facts = ONLINE._replace(refusals=(Refusal("indexer", 600),))
        self.titles(facts)
        self.alerts.silence(f"refused|{ONLINE.mount}|indexer", 10)
        self.assertEqual(self.titles(ONLINE, 2 * HOUR), [])
        self.assertEqual(self.titles(facts, 20 * HOUR), [])
        self.titles(ONLINE, 50 * HOUR)
        self.assertEqual(len(self.titles(facts, 51 * HOUR)), 1)

    def test_a_rebuilt_state_is_shown_once(self):
        facts = ONLINE._replace(rebuild=("2 documents are in Recovered.", "/aside"))
        self.assertEqual(self.titles(facts), ["The state of this device was rebuilt"])
        self.assertEqual(self.titles(facts, HOUR), [])

    def test_names_of_others_cannot_control_the_text(self):
        facts = ONLINE._replace(refusals=(Refusal("in\x1bdexer\u202e", 600),), conflicts=(Conflict("C/a\nb", ("1",)),))
        self.assertEqual(
            self.titles(facts),
            ["a?b is in conflict", "in?dexer? is reading 64 documents that are not on this device"])

    def test_what_is_remembered_is_bounded_and_a_clock_that_is_set_back_repeats_nothing(self):
        for number in range(30):
            facts = ONLINE._replace(conflicts=tuple(Conflict(f"C/{each}", (f"{number}.{each}",)) for each in range(500)))
            self.titles(facts, number)
        self.assertLessEqual(len(self.alerts.remembered), 2_000)
        self.assertEqual(self.titles(facts, -86_400), [])
