"""Documents of the kinds that people have, of valid form, each with random bytes of its own, for the scripts that run real programs."""

import os
import random
import zipfile

from devices import run

# What notes contain once, for programs that search.
NEEDLE = b"needle-in-the-haystack"
# Folders with the extension of what is in them.
KINDS = {"Photos": ".jpg", "Papers": ".pdf", "Films": ".mp4", "Letters": ".odt", "Notes": ""}


def size(generator):
    """Mostly small, some of a megabyte, as in folders of people."""
    return int(min(max(generator.lognormvariate(11.9, 0.7), 64 << 10), 1 << 20))


def photo(filler, sample):
    """A JPEG with comments, which are segments of up to 65,533 bytes after its first marker."""
    parts = [filler[at:at + 65_000] for at in range(0, len(filler), 65_000)]
    return sample[:2] + b"".join(b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part for part in parts) + sample[2:]


def film(filler, sample):
    """An MP4 with a box of free space at its end."""
    return sample + (len(filler) + 8).to_bytes(4, "big") + b"free" + filler


def paper(filler):
    """A PDF of one empty page, with an embedded stream."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>", b"<< /Length %d >>\nstream\n%b\nendstream" % (len(filler), filler)]
    text, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return text + b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, table, len(objects) + 1, len(text))


def letter(filler, file):
    """An OpenDocument text with a picture."""
    kind = "application/vnd.oasis.opendocument.text"
    office = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", (
            f'<?xml version="1.0"?><office:document-content {office} office:version="1.2"><office:body><office:text>'
            "<text:p>Dear reader</text:p></office:text></office:body></office:document-content>"))
        archive.writestr("META-INF/manifest.xml", (
            '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'))
        archive.writestr("Pictures/1.bin", filler)


def note(filler):
    """Text without an extension."""
    return NEEDLE + b"\n" + filler.hex().encode()[:len(filler)]


def samples(root):
    """A photo and a film, which a real encoder makes."""
    found = []
    for name, options in (("sample.jpg", ["-frames:v", "1"]), ("sample.mp4", ["-t", "1", "-c:v", "mpeg4"])):
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10", *options, f"{root}/{name}")
        with open(f"{root}/{name}", "rb") as file:
            found.append(file.read())
    return found


def write(root, folder, count):
    """Writes so many documents."""
    jpeg, mp4 = samples(root)
    generator = random.Random(1)
    for kind in KINDS:
        os.mkdir(f"{folder}/{kind}")
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        path, filler = f"{folder}/{kind}/{number:04d}{KINDS[kind]}", generator.randbytes(size(generator))
        if kind == "Letters":
            letter(filler, path)
            continue
        make = {
            "Photos": lambda: photo(filler, jpeg), "Films": lambda: film(filler, mp4), "Papers": lambda: paper(filler), "Notes": lambda: note(filler)}
        with open(path, "wb") as file:
            file.write(make[kind]())
