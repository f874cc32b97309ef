"""What a person is asked, and sees afterwards, when Recently Deleted is emptied."""

import unittest

import support
from ubiquity_desktop import emptying

MOUNT, UNTIL = "/home/u/Mobile", "2026-11-20T14:03:12.500Z"


def response(**fields):
    return {"purgeDeleted": {"items": 2, "bytes": 3_000_000, "unsent": 0, "until": UNTIL, **fields}}


class EmptyingTests(unittest.TestCase):
    def test_a_person_is_asked_with_the_figures_and_only_what_was_counted_is_removed(self):
        asked = emptying.question(MOUNT, response())
        self.assertEqual(asked.title, "Remove what was deleted in Mobile for good?")
        self.assertIn("2 items, 3.0 MB", asked.text)
        self.assertEqual(asked.buttons, (("Remove for Good", ("purge", MOUNT, UNTIL)),))
        # A click on the notification itself removes nothing.
        self.assertIsNone(asked.default)

    def test_nothing_to_remove_has_no_button(self):
        for fields in ({"items": 0}, {"items": 0, "unsent": 1}, {"until": None}, {"items": -1}, {"items": True}):
            self.assertEqual(emptying.question(MOUNT, response(**fields)).buttons, (), fields)
        self.assertIn("has not reached the cloud", emptying.question(MOUNT, response(items=0, unsent=1)).text)

    def test_the_result_says_what_stayed(self):
        self.assertEqual(emptying.result(MOUNT, response()).title, "Recently Deleted of Mobile is empty")
        self.assertIn("1 item stayed", emptying.result(MOUNT, response(unsent=1)).text)

    def test_nonsense_of_a_daemon_removes_nothing(self):
        for nonsense in (None, [], {}, {"purgeDeleted": 7}, {"purgeDeleted": {"items": "x", "until": 1}}):
            self.assertEqual(emptying.question(MOUNT, nonsense).buttons, (), nonsense)


if __name__ == "__main__":
    unittest.main()
