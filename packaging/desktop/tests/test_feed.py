import json

from support import FAST, DaemonTestCase
from ubiquity_desktop import feed
from ubiquity_desktop.emblems import Emblems
from ubiquity_desktop.feed import Feed


class FeedTests(DaemonTestCase):
    """What an extension in another language sends, and what it is sent."""

    def setUp(self):
        super().setUp()
        self.sent, self.performed = [], []
        self.feed = Feed(
            lambda changed: Emblems(changed, self.loop, lambda: dict(self.mounts), FAST),
            lambda line: self.sent.append(json.loads(line)), lambda *arguments: self.performed.append(arguments))
        self.addCleanup(self.feed.close)

    def ask(self, **request):
        self.feed.receive(json.dumps(request).encode() + b"\n")

    def icons(self):
        found = {}
        for message in self.sent:
            found.update(message.get("emblems", {}))
        return found

    def last(self, key):
        return [message for message in self.sent if key in message][-1]

    def test_states_arrive_when_they_are_known_and_when_they_change(self):
        self.daemon.states = {"a b": "cloud", "d": "folder"}
        self.ask(follow=["file:///m/a%20b", "file:///m/d/", "file:///elsewhere"])
        self.loop.run_until(lambda: self.icons().get("file:///m/a%20b") == "emblem-ubiquity-cloud")
        self.loop.run_until(lambda: self.icons().get("file:///m/d/") == "")
        self.assertEqual(self.icons()["file:///elsewhere"], "")
        self.daemon.states["a b"] = "here"
        self.daemon.happened("status", path="a b")
        self.loop.run_until(lambda: self.icons()["file:///m/a%20b"] == "emblem-ubiquity-here")

    def test_a_menu_has_the_commands_of_the_other_file_managers(self):
        self.daemon.states = {"a": "cloud"}
        self.ask(follow=["file:///m/a"])
        self.loop.run_until(lambda: "file:///m/a" in self.icons())
        self.loop.run_until(lambda: self.icons()["file:///m/a"] != "")
        self.ask(menu=7, uris=["file:///m/a"])
        menu = self.last("menu")
        self.assertEqual(menu["menu"], 7)
        self.assertEqual([name for name, _, _ in menu["items"]], ["download", "pin", "versions", "publish"])
        self.ask(menu=8, uris=["file:///elsewhere"])
        self.assertEqual(self.last("menu"), {"menu": 8, "items": []})

    def test_a_command_is_performed_and_a_link_is_copied(self):
        self.daemon.states = {"a": "here"}
        self.ask(follow=["file:///m/a"])
        self.loop.run_until(lambda: self.icons().get("file:///m/a"))
        self.ask(perform="publish", uris=["file:///m/a"])
        command, paths, done = self.performed.pop()
        self.assertEqual((command.name, paths), ("publish", ["/m/a"]))
        done("https://example.org/1\n")
        self.assertEqual(self.last("copy"), {"copy": "https://example.org/1"})
        self.ask(perform="unpin", uris=["file:///m/a"])
        self.assertIn("do not have", self.last("error")["error"])
        self.assertEqual(self.performed, [])

    def test_paths_of_any_bytes_are_followed(self):
        name = b"\xff%\n".decode(errors="surrogateescape")
        self.daemon.states = {name: "cloud"}
        self.ask(follow=["file:///m/%FF%25%0A"])
        self.loop.run_until(lambda: self.icons().get("file:///m/%FF%25%0A") == "emblem-ubiquity-cloud")

    def test_what_is_no_request_is_refused_and_the_next_one_is_served(self):
        for line in (
                b"", b"{", b"[]", b"7", b"{}", b"\xff", b'{"follow": 1}', b'{"follow": ["http://a/b"]}', b'{"follow": ["file:///a%00"]}',
                b'{"menu": "x", "uris": []}', b'{"menu": true, "uris": []}', b'{"menu": 1}', b'{"perform": {}, "uris": ["file:///m/a"]}',
                b"[" * 100_000, json.dumps({"follow": ["file:///a"] * (feed.MOST + 1)}).encode()):
            with self.subTest(line=line[:40]):
                self.sent.clear()
                self.feed.receive(line + b"\n")
                self.assertEqual([list(message) for message in self.sent], [["error"]])
        self.ask(menu=1, uris=[])
        self.assertEqual(self.last("menu"), {"menu": 1, "items": []})

    def test_requests_come_in_any_pieces(self):
        for byte in b'{"menu": 1, "uris": []}\n{"menu": 2, "uris": []}\n':
            self.feed.receive(bytes([byte]))
        self.assertEqual([message["menu"] for message in self.sent], [1, 2])

    def test_a_line_that_is_too_long_is_dropped_once_and_not_kept(self):
        piece = b"x" * (1 << 20)
        for _ in range(20):
            self.feed.receive(piece)
        self.assertLessEqual(len(self.feed._buffer), feed.LONGEST)
        self.feed.receive(b'\n{"menu": 3, "uris": []}\n')
        self.assertEqual([list(message)[0] for message in self.sent], ["error", "menu"])
