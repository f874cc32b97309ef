"""What the installation lays out, examined by the programs of the desktop that read it."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from support import DESKTOP  # noqa: E402

ID = "org.ubiquity_documents.Desktop"


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **options)


class InstallationTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = folder.name
        for prefix in ("/usr", "/opt/u"):
            ended = run(f"{DESKTOP}/install", cls.root, prefix)
            assert ended.returncode == 0, ended.stderr

    def assert_valid(self, *words):
        ended = run(*words)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_the_metadata_for_software_centres_is_valid(self):
        self.assert_valid("appstreamcli", "validate", "--no-net", f"{self.root}/usr/share/metainfo/{ID}.metainfo.xml")

    def test_the_entries_of_menus_and_of_the_start_are_valid(self):
        self.assert_valid(
            "desktop-file-validate", f"{self.root}/usr/share/applications/{ID}.desktop",
            f"{self.root}/etc/xdg/autostart/{ID}.desktop")
        # Written by `ubiquity-desktop --start-at-login`.
        environment = {**os.environ, "XDG_CONFIG_HOME": f"{self.root}/config"}
        ended = run("/usr/bin/python3", "-B", f"{self.root}/opt/u/bin/ubiquity-desktop", "--start-at-login", "yes", env={
            **environment, "PYTHONPATH": DESKTOP})
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assert_valid("desktop-file-validate", f"{self.root}/config/autostart/{ID}.desktop")
        self.assertFalse(os.path.exists(f"{self.root}/opt/u/etc"))

    def test_every_icon_is_a_picture_that_themes_can_colour(self):
        icons = glob.glob(f"{self.root}/usr/share/icons/hicolor/*/*/*.svg")
        self.assertGreater(len(icons), 28)
        for icon in icons:
            root = xml.etree.ElementTree.parse(icon).getroot()
            self.assertTrue(root.tag.endswith("svg"), icon)
            if "/symbolic/apps/" in icon:
                with open(icon, encoding="utf-8") as file:
                    text = file.read()
                # GTK sets the fill of symbolic icons, and KDE the colour of this class.
                self.assertIn("ColorScheme-Text", text)
                self.assertNotIn("stroke", text)

    def test_a_theme_finds_the_icons_of_the_status_area(self):
        # GTK finds an icon in the folders that the index of its theme lists.
        with open("/usr/share/icons/hicolor/index.theme", encoding="utf-8") as index:
            folders = re.search(r"^Directories=(.*)$", index.read(), re.MULTILINE)[1].split(",")
        for name in ("ubiquity-tray", "ubiquity-tray-syncing", "ubiquity-tray-offline", "ubiquity-tray-attention", ID):
            for icon in (name, f"{name}-symbolic"):
                found = [folder for folder in folders if os.path.exists(f"{self.root}/usr/share/icons/hicolor/{folder}/{icon}.svg")]
                self.assertEqual(len(found), 1, icon)

    def test_the_manual_pages_have_no_mistakes_and_programs_no_places_left_to_fill_in(self):
        for page in glob.glob(f"{self.root}/usr/share/man/man1/*.gz"):
            ended = run("man", "--warnings", "-l", page, env={**os.environ, "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for file in glob.glob(f"{self.root}/usr/bin/*") + glob.glob(f"{self.root}/usr/share/ubiquity/desktop/*/*.py"):
            with open(file, encoding="utf-8") as text:
                self.assertIsNone(re.search(r"@[A-Z]+@", text.read()), file)
