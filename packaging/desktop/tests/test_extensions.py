import os
import queue
import stat

import support
from support import DaemonTestCase, File


class FilesTests(DaemonTestCase):
    """The extension of Nautilus, Nemo and Caja."""

    def extension(self, host):
        module = support.load("ubiquity_files.py", host, self.folder, self.loop)
        extension = module.UbiquityExtension()
        extension._emblems._read_mounts, extension._emblems._timing = lambda: dict(self.mounts), support.FAST
        self.addCleanup(extension._emblems.close)
        return module, extension

    def show(self, extension, file):
        """Shows a file until its state is known, as the loop of a file manager does."""
        extension.update_file_info(file)
        self.loop.run_until(lambda: not file.invalidations.empty())
        file.invalidations.get()
        file.emblems.clear()
        extension.update_file_info(file)

    def test_each_file_manager_shows_emblems_and_a_column(self):
        self.daemon.states = {"a": "cloud", "d": "folder"}
        for host in ("Nautilus", "Nemo", "Caja"):
            with self.subTest(host=host):
                _, extension = self.extension(host)
                file, folder = File("/m/a"), File("/m/d")
                self.show(extension, file)
                self.assertEqual(file.emblems, ["ubiquity-cloud"])
                self.assertEqual(file.attributes, {"ubiquity_state": "In the cloud"})
                self.show(extension, folder)
                self.assertEqual((folder.emblems, folder.attributes), ([], {"ubiquity_state": ""}))
                (column,) = extension.get_columns()
                self.assertEqual(column.properties["attribute"], "ubiquity_state")

    def test_a_state_that_changes_updates_the_file_that_is_shown(self):
        self.daemon.states = {"a": "cloud"}
        _, extension = self.extension("Nautilus")
        file = File("/m/a")
        self.show(extension, file)
        self.daemon.states["a"] = "here"
        self.daemon.happened("status", path="a")
        self.loop.run_until(lambda: not file.invalidations.empty())
        file.emblems.clear()
        extension.update_file_info(file)
        self.assertEqual(file.emblems, ["ubiquity-here"])

    def test_files_elsewhere_have_no_emblem_and_no_menu(self):
        _, extension = self.extension("Nautilus")
        for file in (File("/home/u/a"), File(None), File("/m/a", "sftp")):
            extension.update_file_info(file)
            self.assertEqual(file.emblems, [])
            self.assertEqual(extension.get_file_items([file]), [])
        self.assertEqual(extension.get_file_items([]), [])

    def test_an_extension_that_is_loaded_twice_shows_one_menu_and_one_column(self):
        self.daemon.states = {"a": "cloud"}
        module, extension = self.extension("Nautilus")
        again = module.UbiquityExtension()
        self.addCleanup(again._emblems.close)
        file = File("/m/a")
        self.show(extension, file)
        again.update_file_info(file)
        self.assertEqual(file.emblems, ["ubiquity-cloud"])
        self.assertEqual((again.get_file_items([file]), again.get_background_items(file), again.get_columns()), ([], [], []))
        self.assertEqual(len(extension.get_file_items([file])), 1)

    def test_a_menu_has_what_makes_sense_with_and_without_a_window(self):
        self.daemon.states = {"a": "cloud", "b": "here", "c": "conflict", "d": "folder"}
        module, extension = self.extension("Caja")
        files = {name: File(f"/m/{name}") for name in "abcd"}
        for file in files.values():
            self.show(extension, file)

        def names(items):
            return [item.properties["name"].removeprefix("Ubiquity::") for item in items[0].items] if items else []

        window = object()
        self.assertEqual(names(extension.get_file_items(window, [files["a"]])), ["download", "pin", "versions", "publish"])
        self.assertEqual(names(extension.get_file_items([files["b"]])), ["evict", "pin", "versions", "publish"])
        self.assertEqual(names(extension.get_file_items([files["c"]])), ["versions", "resolve"])
        self.assertEqual(names(extension.get_background_items(window, files["d"])), ["download", "evict", "pin"])
        self.assertEqual(names(extension.get_file_items([files["a"], files["b"]])), ["download", "evict", "pin"])

    def test_a_command_runs_in_the_background_and_the_state_is_asked_again(self):
        self.daemon.states = {"a b": "cloud"}
        module, extension = self.extension("Nemo")
        file = File("/m/a b")
        self.show(extension, file)
        record = f"{self.folder}/record"
        self.write_program("ubiquity", f'printf "%s\\n" "$@" > "{record}.new"; mv "{record}.new" "{record}"')
        while not self.daemon.requests.empty():
            self.daemon.requests.get()
        (top,) = extension.get_file_items([file])
        top.items[0].activate()
        self.assertEqual(self.next_request(), ["a b"])
        with open(record, encoding="utf-8") as text:
            self.assertEqual(text.read().splitlines(), ["download", "--", "/m/a b"])

    def test_a_link_is_copied(self):
        self.daemon.states = {"a": "here"}
        module, extension = self.extension("Nautilus")
        copied = queue.Queue()
        module.copy = copied.put
        file = File("/m/a")
        self.show(extension, file)
        self.write_program("ubiquity", "echo https://cloud.example.org/p/x")
        (top,) = extension.get_file_items([file])
        top.items[-1].activate()
        self.loop.run_until(lambda: not copied.empty())
        self.assertEqual(copied.get(), "https://cloud.example.org/p/x")

    def write_program(self, name, script):
        folder = f"{self.folder}/bin"
        os.makedirs(folder, exist_ok=True)
        # Nothing of the person who runs the test is notified.
        for each, text in ((name, script), ("notify-send", "true")):
            with open(f"{folder}/{each}", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(f"{folder}/{each}", stat.S_IRWXU)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{before}"
        self.addCleanup(os.environ.__setitem__, "PATH", before)


class ThunarTests(DaemonTestCase):
    def setUp(self):
        super().setUp()
        module = support.load("ubiquity_thunar.py", "Thunarx", self.folder, self.loop)
        self.extension = module.UbiquityExtension()
        self.emblems.close()
        self.emblems = self.extension._emblems
        self.emblems._read_mounts, self.emblems._timing = lambda: dict(self.mounts), support.FAST

    def test_a_menu_opens_before_states_are_known_and_has_less_once_they_are(self):
        self.daemon.states = {"a": "here"}
        self.daemon.released.clear()
        self.emblems.state("/m/a")
        self.next_request()
        (top,) = self.extension.get_file_menu_items(None, [File("/m/a")])
        self.assertIn("Ubiquity::download", [item.properties["name"] for item in top.items])
        self.daemon.released.set()
        self.wait_for("/m/a", "here")
        (top,) = self.extension.get_file_menu_items(None, [File("/m/a")])
        self.assertNotIn("Ubiquity::download", [item.properties["name"] for item in top.items])
        self.assertEqual(self.extension.get_file_menu_items(None, [File("/home/u/a")]), [])
        self.assertEqual(self.extension.get_folder_menu_items(None, File("/home/u")), [])

    def test_the_properties_show_the_state_and_follow_it(self):
        self.daemon.states = {"a": "cloud"}
        self.emblems.state("/m/a")
        self.wait_for("/m/a", "cloud")
        (page,) = self.extension.get_property_pages([File("/m/a")])
        (label,) = page.items
        self.assertEqual(label.properties["label"], "In the cloud")
        self.daemon.states["a"] = "here"
        self.daemon.happened("status", path="a")
        self.loop.run_until(lambda: label.properties["label"] == "On this device")
        handler, arguments = label.handlers["destroy"]
        handler(label, *arguments)
        self.assertEqual(self.extension._labels, {})
        self.assertEqual(self.extension.get_property_pages([File("/home/u/a")]), [])


class TableTests(DaemonTestCase):
    def test_every_state_has_a_text_and_every_emblem_its_icons(self):
        from ubiquity_desktop import texts
        for state in texts.TEXTS:
            name = texts.emblem(state)
            for file in (f"scalable/emblems/emblem-{name}.svg", f"symbolic/emblems/emblem-{name}-symbolic.svg"):
                self.assertTrue(os.path.exists(f"{support.DESKTOP}/icons/{file}"), file)
        for state in (None, "folder", "unknown", "outside", "of a later version"):
            self.assertIsNone(texts.emblem(state))
            self.assertEqual(texts.text(state), "")

    def test_many_paths_are_split_into_commands_that_linux_accepts(self):
        batches = support.load("ubiquity_files.py", "Nautilus", self.folder, self.loop).actions.batches
        paths = [f"/m/{'x' * 90}{number}" for number in range(500)]
        parts = list(batches(paths, 1_000))
        self.assertEqual([path for part in parts for path in part], paths)
        self.assertTrue(all(sum(len(path) + 1 for path in part) <= 1_000 for part in parts))
        self.assertEqual(list(batches(["/m/" + "x" * 2_000], 1_000)), [["/m/" + "x" * 2_000]])

    def test_a_command_that_fails_reports_so_and_returns_nothing(self):
        from ubiquity_desktop import menu
        actions = support.load("ubiquity_files.py", "Nautilus", self.folder, self.loop).actions
        results, notices = [], []
        actions.notify = lambda *texts: notices.append(texts)
        for words in ((f"{self.folder}/none",), ("sh", "-c", "echo no room >&2; exit 6")):
            actions.perform(menu.Command("x", "Download", "", words, ("cloud",)), ["/m/a"], results.append)
        self.loop.run_until(lambda: len(results) == 2)
        self.assertEqual(results, [None, None])
        self.assertIn(("Download failed", "no room"), notices)
