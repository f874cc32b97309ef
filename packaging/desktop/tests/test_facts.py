import json
import random
import unittest

from support import conflict, status
from ubiquity_desktop import facts


def response(**fields):
    return {"status": {"mount": status(**fields), "items": [], "failures": []}}


def mutated(value, generator):
    """A value of JSON with parts of it exchanged for others."""
    if generator.random() < 0.2:
        return generator.choice([None, 7, -1, 10 ** 400, 1.5, "x", "\ud800", [], {}, True, [None], {"a": 1}])
    if isinstance(value, dict):
        return {key: mutated(each, generator) for key, each in value.items() if generator.random() < 0.9}
    if isinstance(value, list):
        return [mutated(each, generator) for each in value]
    return value


FULL = response(
    cloud={"state": "offline", "reason": "full", "message": "The cloud is full.", "isSignedIn": True},
    queue={"uploads": 1, "downloads": 2, "pendingItems": 3, "pendingBytes": 4},
    transfers=[{"path": "C/a", "direction": "upload", "completedBytes": 1, "totalBytes": 4}],
    errors=[{"code": "damaged", "message": "an item is damaged", "path": "C/b", "advice": "Run `ubiquity check`."}],
    conflicts=1, refusedPrograms=[{"program": "indexer", "seconds": 540}],
    rebuild={"reason": "r", "summary": "The state was rebuilt.", "aside": "/aside"})


class FactTests(unittest.TestCase):
    def test_the_state_of_a_mount_is_read(self):
        found = facts.parse("/m", FULL)
        self.assertEqual((found.is_reached, found.is_online, found.reason), (True, False, "full"))
        self.assertEqual((found.uploads, found.downloads, found.pending_items, found.pending_bytes), (1, 2, 3, 4))
        self.assertEqual(found.transfers, (facts.Transfer("C/a", True, 1, 4),))
        self.assertEqual(found.troubles, (facts.Trouble("damaged", "An item is damaged. Run `ubiquity check`.", "C/b"),))
        self.assertEqual(found.refusals, (facts.Refusal("indexer", 540),))
        self.assertEqual(found.rebuild, ("The state was rebuilt.", "/aside"))
        self.assertEqual(found.absolute("C/b"), "/m/C/b")
        self.assertEqual(found.absolute("/elsewhere"), "/elsewhere")

    def test_conflicts_are_read_and_what_is_malformed_is_left_out(self):
        found = facts.parse_conflicts({"conflicts": {"conflicts": [conflict("C/a", "8.0", "7.1"), {}, 7, {"path": "x", "versions": []}]}})
        self.assertEqual(found, (facts.Conflict("C/a", ("8.0", "7.1")),))
        self.assertEqual(found[0].container, "C")
        for other in (None, {}, {"conflicts": None}):
            self.assertIsNone(facts.parse_conflicts(other))

    def test_any_response_gives_facts_that_can_be_shown_or_none(self):
        from ubiquity_desktop import alerts, tray
        seed = random.randrange(1 << 32)
        generator = random.Random(seed)
        for _ in range(2_000):
            value = mutated(FULL, generator)
            conflicts = mutated({"conflicts": {"conflicts": [conflict("C/a", "1")]}}, generator)
            found = facts.parse("/m", value, facts.parse_conflicts(conflicts) or ())
            with self.subTest(seed=seed, value=json.dumps(value)):
                if found is not None:
                    tray.tray([found])
                    tray.account(found)
                    alerts.Alerts().update([found], 0)

    def test_lists_and_texts_are_bounded(self):
        found = facts.parse("/m", response(
            errors=[{"code": "failed", "message": "x" * 10 ** 5, "path": "C/a"}] * 10 ** 4, transfers=[{}] * 10 ** 4))
        self.assertEqual(len(found.troubles), 100)
        self.assertLess(len(found.troubles[0].text), 2_100)
