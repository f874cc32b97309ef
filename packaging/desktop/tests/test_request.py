from support import DaemonTestCase
from ubiquity_desktop import request


class RequestTests(DaemonTestCase):
    def test_the_response_to_one_request_is_returned(self):
        self.assertEqual(request.request(self.mounts["/m"], "fetchVersion", {"path": "a", "version": "7.0"}), {"done": {}})
        self.assertEqual(self.daemon.calls.get(), ("fetchVersion", {"path": "a", "version": "7.0"}))

    def test_a_refusal_and_a_daemon_that_is_away_are_said_in_words(self):
        self.daemon.failure = "offline"
        with self.assertRaisesRegex(request.Refused, "It is."):
            request.request(self.mounts["/m"], "fetchVersion", {})
        self.daemon.close()
        with self.assertRaisesRegex(request.Refused, "The daemon cannot be reached"):
            request.request(self.mounts["/m"], "fetchVersion", {})
