import unittest

import support  # noqa: F401
from ubiquity_desktop.texts import markup


class TextTests(unittest.TestCase):
    def test_a_file_name_in_a_notification_is_text_and_no_markup(self):
        name = "<b>bold<i>&<a href=x>.txt"
        self.assertEqual(markup(name), "&lt;b&gt;bold&lt;i&gt;&amp;&lt;a href=x&gt;.txt")
        self.assertEqual(markup("an ordinary \"name\".txt"), "an ordinary \"name\".txt")


if __name__ == "__main__":
    unittest.main()
