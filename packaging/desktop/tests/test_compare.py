import random
import unittest

import support  # noqa: F401
from ubiquity_desktop import compare, versions
from ubiquity_desktop.compare import ADDED, CHANGED, EQUAL, REMOVED


def kinds(cells):
    return [(cell.kind, cell.is_there) for cell in cells]


class CompareTests(unittest.TestCase):
    def test_lines_that_differ_stand_side_by_side(self):
        found = compare.compare("a\nb\nc\nd", "a\nB!\nd\ne")
        self.assertEqual([cell.text for cell in found.left], ["a", "b", "c", "d", ""])
        self.assertEqual([cell.text for cell in found.right], ["a", "B!", "", "d", "e"])
        self.assertEqual(kinds(found.left), [(EQUAL, True), (CHANGED, True), (REMOVED, True), (EQUAL, True), (ADDED, False)])
        self.assertEqual(found.count, 2)

    def test_the_characters_that_differ_are_marked(self):
        (left,), (right,), _ = compare.compare("the cat sat", "the dog sat")
        self.assertEqual(left.text[slice(*left.marks[0])], "cat")
        self.assertEqual(right.text[slice(*right.marks[0])], "dog")

    def test_equal_texts_have_no_difference_and_empty_ones_no_lines(self):
        self.assertEqual(compare.compare("a\nb", "a\nb").count, 0)
        self.assertEqual(compare.compare("", ""), compare.Comparison((), (), False))

    def test_columns_are_as_long_as_each_other_and_give_both_texts_back(self):
        seed = random.randrange(1 << 32)
        generator = random.Random(seed)
        for _ in range(300):
            texts = ["\n".join(generator.choice("abcü ") * generator.randrange(4) for _ in range(generator.randrange(30)))
                     for _ in range(2)]
            found = compare.compare(*texts)
            for text, column in zip(texts, (found.left, found.right)):
                self.assertEqual([cell.text for cell in column if cell.is_there], text.splitlines(), f"seed {seed}")
                for cell in column:
                    for first, after in cell.marks:
                        self.assertTrue(0 <= first < after <= len(cell.text), f"seed {seed}")
            self.assertEqual(len(found.left), len(found.right), f"seed {seed}")

    def test_long_texts_and_long_lines_are_cut(self):
        found = compare.compare("a\n" * 9_000, "b\n" * 9_000)
        self.assertTrue(found.is_cut and len(found.left) == 5_000)
        self.assertTrue(compare.compare("x" * 10 ** 6, "y").is_cut)

    def test_bytes_are_text_if_they_can_be_read_as_such(self):
        for text in ("", "ü\r\nb", "\ufeffa"):
            self.assertEqual(compare.text(text.encode()), text.removeprefix("\ufeff"))
        self.assertEqual(compare.text("ü".encode("utf-16")), "ü")
        for data in (b"\0", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n\0", b"x" * (compare.LARGEST + 1), b"\xff\xfe\0"):
            self.assertIsNone(compare.text(data))

    def test_pictures_keep_their_proportions_and_are_not_made_larger(self):
        self.assertEqual(compare.fit(4_000, 3_000, 400, 400), (400, 300))
        self.assertEqual(compare.fit(10, 10, 400, 400), (10, 10))
        self.assertEqual(compare.fit(10_000, 1, 100, 100), (100, 1))
        self.assertEqual(compare.fit(0, 0, 0, 0), (1, 1))


class PairTests(unittest.TestCase):
    def versions(self, *kinds):
        return [versions.Version(f"{number}.0", kind, ("m", "d", "s", "k"), f"/f{number}", True) for number, kind in enumerate(kinds)]

    def test_the_current_version_is_compared_with_the_selected_one(self):
        current, conflict, earlier = found = self.versions("current", "conflict", "history")
        self.assertEqual(versions.pair(found, earlier), (current, earlier))
        self.assertEqual(versions.pair(found, current), (current, conflict))
        self.assertEqual(versions.pair(found, None), (current, conflict))
        self.assertIsNone(versions.pair([current], current))
        self.assertIsNone(versions.pair([conflict, earlier], conflict))

    def test_of_two_versions_in_conflict_this_that_or_both_can_be_kept(self):
        current, conflict, earlier = self.versions("current", "conflict", "history")
        left, right, both = versions.choices(current, conflict, "/m/a")
        self.assertEqual([words[2] for _, words in left + right + both], ["current", "1.0", "both"])
        self.assertEqual(
            versions.choices(current, earlier, "/m/a"),
            ([], [("Restore", ["restore", "--version", "2.0", "--", "/m/a"])], []))
