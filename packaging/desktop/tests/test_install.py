"""Tests the installation of what the desktop loads."""

import os
import subprocess
import tempfile
import unittest

INSTALL = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "install")


class InstallTests(unittest.TestCase):
    def test_a_destination_may_be_relative_to_the_folder_of_the_caller(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([INSTALL, "tree", "/usr"], cwd=folder, check=True)
            for name in ["etc/xdg/autostart/org.ubiquity_documents.Desktop.desktop", "usr/bin/ubiquity-desktop",
                         "usr/share/nautilus-python/extensions/ubiquity.py", "usr/share/ubiquity/desktop/ubiquity_desktop/menu.py"]:
                self.assertTrue(os.path.exists(f"{folder}/tree/{name}"), name)
            with open(f"{folder}/tree/usr/bin/ubiquity-desktop") as program:
                self.assertNotIn(folder, program.read(), "the places are those of the installation")


if __name__ == "__main__":
    unittest.main()
