import os
import random
import unittest

import support  # noqa: F401  (makes the package importable)
from ubiquity_desktop import frames


class FrameTests(unittest.TestCase):
    def test_messages_arrive_however_the_stream_is_cut(self):
        random.seed(7)
        for _ in range(200):
            messages = [{"id": number, "text": "ü" * random.randrange(50)} for number in range(random.randrange(6))]
            stream = b"".join(frames.encode(message) for message in messages)
            splitter, found = frames.Splitter(), []
            while stream:
                cut = random.randrange(1, 40)
                found += splitter.add(stream[:cut])
                stream = stream[cut:]
            self.assertEqual(found, messages)

    def test_any_bytes_are_messages_or_an_error_of_the_protocol(self):
        for seed in range(2_000):
            generator = random.Random(seed)
            data = generator.randbytes(generator.randrange(60))
            if generator.random() < 0.7:
                body = bytes(generator.choice(b'{}[]":,0a\\ue-. ') for _ in range(generator.randrange(20)))
                data = len(body).to_bytes(4, "big") + body
            try:
                for message in frames.Splitter().add(data):
                    self.assertIsInstance(message, dict, f"seed {seed}")
            except frames.ProtocolError:
                pass

    def test_deeply_nested_frames_and_oversized_ones_are_refused(self):
        for body in (b"[" * 100_000, b'{"a":' * 100_000):
            with self.assertRaises(frames.ProtocolError):
                frames.Splitter().add(len(body).to_bytes(4, "big") + body)
        with self.assertRaises(frames.ProtocolError):
            frames.Splitter().add(support.oversized())

    def test_every_name_that_linux_allows_survives_the_form_of_messages(self):
        generator = random.Random(1)
        for _ in range(500):
            path = os.fsdecode(bytes(generator.randrange(1, 256) for _ in range(generator.randrange(1, 20))))
            self.assertEqual(frames.decode_path(frames.encode_path(path)), path)
        for other in (None, 7, [], {}, {"base64": 7}, {"base64": "!"}):
            self.assertIsNone(frames.decode_path(other))
