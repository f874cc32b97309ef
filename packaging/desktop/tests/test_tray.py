import unittest

import support  # noqa: F401
from ubiquity_desktop import memory, tray
from ubiquity_desktop.facts import Conflict, Facts, Refusal, Transfer, Trouble

ONLINE = Facts("/home/u/Mobile", is_reached=True, is_online=True)


def labels(entries):
    return [entry.label for entry in entries]


def below(entries, key):
    return next(entry.children for entry in entries if entry.key == key)


class TrayTests(unittest.TestCase):
    def test_without_a_mount_the_item_is_passive(self):
        shown = tray.tray([])
        self.assertEqual((shown.status, labels(shown.menu)), ("Passive", ["No documents are mounted", "", "Quit"]))

    def test_a_metered_network_is_named_as_what_is_waited_for_while_nothing_is_transferred(self):
        waiting = ONLINE._replace(metered="wait", pending_items=2, downloads=1)
        shown = tray.tray([waiting])
        self.assertEqual((shown.icon, shown.text), ("ubiquity-tray-offline", "3 items wait: the network is metered"))
        self.assertIn(("metered", "/home/u/Mobile", "continue"), [entry.action for entry in shown.menu])
        opened = waiting._replace(transfers=(Transfer("C/a", False, 1, 2),))
        self.assertEqual(tray.tray([opened]).icon, "ubiquity-tray-syncing")
        idle = tray.tray([ONLINE._replace(metered="wait")])
        self.assertEqual((idle.icon, idle.text), ("ubiquity-tray", "Everything is in the cloud"))
        chosen = tray.tray([waiting._replace(metered="continue")])
        self.assertEqual(chosen.icon, "ubiquity-tray-syncing")
        self.assertIn(("metered", "/home/u/Mobile", "wait"), [entry.action for entry in chosen.menu])

    def test_a_mount_with_nothing_to_do(self):
        shown = tray.tray([ONLINE])
        self.assertEqual((shown.status, shown.icon, shown.text), ("Active", "ubiquity-tray", "Everything is in the cloud"))
        self.assertEqual(shown.action, ("open", "/home/u/Mobile"))
        self.assertEqual(
            labels(shown.menu),
            ["Everything is in the cloud", "Open Folder", "Empty Recently Deleted…", "", "Pause for an Hour", "Go Offline", "Quit"])

    def test_transfers_are_shown_with_their_progress(self):
        transfers = (Transfer("C/a.mov", True, 1, 4), Transfer("C/b.mov", False, 2, 4), Transfer("C/c", True, 0, 0))
        facts = ONLINE._replace(uploads=1, pending_items=3, pending_bytes=2_500_000, downloads=1, transfers=transfers)
        shown = tray.tray([facts])
        self.assertEqual(shown.icon, "ubiquity-tray-syncing")
        self.assertEqual(shown.text, "Uploading 3 items (2.5 MB), downloading 1 document: 37 %")
        self.assertEqual(labels(below(shown.menu, "transfers")), ["↑ a.mov 25 %", "↓ b.mov 50 %", "↑ c"])
        self.assertEqual(tray.account(facts).status, tray.SYNCING)

    def test_long_lists_are_cut(self):
        transfers = tuple(Transfer(f"C/{number}", True, 1, 4) for number in range(100))
        lines = below(tray.tray([ONLINE._replace(uploads=100, transfers=transfers)]).menu, "transfers")
        self.assertEqual((len(lines), lines[-1].label), (11, "… and 90 more"))

    def test_what_needs_a_person_comes_first(self):
        for facts in (
                ONLINE._replace(conflict_count=1, uploads=1), ONLINE._replace(refusals=(Refusal("p", 1),)),
                ONLINE._replace(troubles=(Trouble("damaged", "It is damaged.", "C/a"),)),
                ONLINE._replace(is_online=False, reason="full", message="The cloud is full.")):
            shown = tray.tray([facts])
            self.assertEqual((shown.status, shown.icon), ("NeedsAttention", "ubiquity-tray-attention"))
            self.assertEqual(tray.account(facts).status, tray.ERROR)

    def test_conflicts_open_their_versions_and_problems_show_their_documents(self):
        facts = ONLINE._replace(
            conflict_count=1, conflicts=(Conflict("C/a", ("1",)),), troubles=(Trouble("damaged", "It is damaged.", "C/b"),),
            refusals=(Refusal("indexer", 7),))
        menu = tray.tray([facts]).menu
        self.assertEqual(below(menu, "conflicts")[0].action, ("versions", "/home/u/Mobile/C/a"))
        self.assertEqual(below(menu, "troubles")[0].action, ("show", "/home/u/Mobile/C/b"))
        self.assertEqual(
            [entry.action for entry in menu if entry.key == "allow indexer"], [("allow", "/home/u/Mobile", "indexer")])

    def test_recently_deleted_can_be_emptied_where_the_daemon_responds(self):
        self.assertIn(("empty", "/home/u/Mobile"), [entry.action for entry in tray.tray([ONLINE]).menu])
        self.assertNotIn("empty", [entry.key for entry in tray.tray([Facts("/home/u/Other")]).menu])

    def test_the_switch_to_go_online_is_offered_when_a_person_has_gone_offline(self):
        place = ("/home/u/Mobile",)
        offline = ONLINE._replace(is_online=False, reason="takenOffline", pending_items=2)
        actions = [entry.action for entry in tray.tray([offline]).menu]
        self.assertIn(("online", place), actions)
        self.assertNotIn(("offline", place, None), actions)
        self.assertEqual(tray.tray([offline]).text, "Offline: you have paused it; 2 changes will be uploaded later")
        away = [entry.action for entry in tray.tray([offline._replace(reason="unreachable")]).menu]
        self.assertIn(("offline", place, None), away)
        self.assertNotIn(("online", place), away)
        older = [entry.action for entry in tray.tray([offline._replace(reason=None)]).menu]
        self.assertLess({("online", place), ("offline", place, None), ("offline", place, 3_600)}, set(older))

    def test_each_of_several_mounts_has_a_menu_and_the_worst_state_is_shown(self):
        other = Facts("/home/u/Other")
        shown = tray.tray([other, ONLINE])
        self.assertEqual(shown.icon, "ubiquity-tray-offline")
        self.assertEqual(shown.text, "Mobile: Everything is in the cloud\nOther: The daemon does not respond")
        self.assertEqual(labels(shown.menu)[:2], ["/home/u/Mobile", "/home/u/Other"])
        self.assertEqual(shown.menu[3].action, ("offline", ("/home/u/Mobile",), tray.PAUSE))

    def test_mounts_of_the_same_name_are_distinguished_by_their_folders(self):
        found = tray.accounts([Facts("/a/mount"), Facts("/b/mount"), Facts("/c/other")])
        self.assertEqual([account.name for account in found], ["a/mount", "b/mount", "other"])

    def test_every_icon_is_in_the_package(self):
        import os
        names = {tray.tray([]).icon, "ubiquity-tray-attention", "ubiquity-tray-syncing", "ubiquity-tray-offline"}
        for name in names:
            for file in (f"scalable/status/{name}.svg", f"symbolic/apps/{name}-symbolic.svg"):
                self.assertTrue(os.path.exists(f"{support.DESKTOP}/icons/{file}"), file)


class PauseTests(unittest.TestCase):
    OFFLINE = ONLINE._replace(is_online=False, reason="takenOffline")

    def setUp(self):
        self.pauses = memory.Pauses()
        self.pauses.begin(ONLINE.mount, 3_600, 0)

    def test_a_pause_ends_after_its_time_and_is_tried_again_until_it_has_ended(self):
        self.assertEqual(self.pauses.update([self.OFFLINE], 3_599), [])
        self.assertEqual(self.pauses.update([self.OFFLINE], 3_600), [ONLINE.mount])
        self.assertEqual(self.pauses.update([self.OFFLINE], 3_601), [])
        self.assertEqual(self.pauses.update([self.OFFLINE], 3_661), [ONLINE.mount])
        self.pauses.end(ONLINE.mount)
        self.assertEqual(self.pauses.update([self.OFFLINE], 9_000), [])

    def test_a_mount_that_went_online_by_other_means_stays_as_it_is(self):
        # These facts may be older than the switch.
        self.pauses.update([ONLINE], 1)
        self.assertEqual(set(self.pauses.ends), {ONLINE.mount})
        self.pauses.update([ONLINE], 60)
        self.assertEqual(self.pauses.update([self.OFFLINE], 4_000), [])

    def test_a_pause_outlives_the_program_and_waits_for_a_daemon(self):
        self.pauses = memory.Pauses(self.pauses.ends)
        self.assertEqual(self.pauses.update([Facts(ONLINE.mount)], 4_000), [])
        self.assertEqual(self.pauses.update([self.OFFLINE], 4_001), [ONLINE.mount])
