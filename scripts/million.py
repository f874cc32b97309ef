"""What calls cost on a device with a million items and a million tombstones, against one with a thousand."""

import os
import statistics
import subprocess
import time

from devices import PROGRAM, Device, Failure, run, say, until

LONG_LOG = os.path.join(os.path.dirname(PROGRAM), "long-log")
MOST_RATIO, MOST_MEMORY = 1.5, 150
"""The bounds: the median of a call against that of the small device, and the daemon's memory in MiB."""


def cost(calls):
    """Runs the calls and returns their median time in microseconds."""
    spent = []
    for call in calls:
        begun = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent) * 1e6


def write(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("text")


def measure(device, folders, count=400):
    """Returns the median time of each call, of items that nothing has looked at before, in folders of a thousand."""
    place = [f"{device.documents}/{number * folders // count}" for number in range(count)]
    # A call in a folder that the kernel does not know is two look-ups, and the small device has only one folder.
    for folder in set(place):
        os.stat(folder)
    known = [f"{place[number]}/document {17 + number % 900}.txt" for number in range(count)]
    made = [f"{place[number]}/made {number}" for number in range(count)]
    work = {
        "stat": [lambda path=path: os.stat(path) for path in known],
        "look for an absent name": [lambda path=path: os.path.exists(f"{path} absent") for path in known],
        "create, write, close": [lambda path=path: write(path) for path in made],
        "rename": [lambda path=path: os.rename(path, f"{path} renamed") for path in known],
        "remove": [lambda path=path: os.unlink(f"{path} renamed") for path in known],
        "make a folder": [lambda path=path: os.mkdir(f"{path} folder") for path in made],
        "remove a folder": [lambda path=path: os.rmdir(f"{path} folder") for path in made],
        "list a folder of 1,000": [lambda path=path: os.listdir(path) for path in sorted(set(place))[:50]],
    }
    return {what: cost(calls) for what, calls in work.items()}


def device(root, name, items):
    """Returns a running device that knows a log of that many items and tombstones."""
    folder = f"{root}/{name}"
    os.makedirs(folder, exist_ok=True)
    made = Device(folder, name)
    run(LONG_LOG, f"{folder}/cloud", "--items", str(items), "--deleted", str(items))
    made.start()
    try:
        until(f"{name}: {items} items known", lambda: made.items() >= items)
        subprocess.run([PROGRAM, "offline", made.mount], check=True, stdout=subprocess.DEVNULL)
    except BaseException:
        made.stop()
        raise
    return made


def million(root, a, b):
    """Every call costs as much with a million items and a million tombstones as with a thousand."""
    items = int(os.environ.get("UBIQUITY_SCALE_MILLION", "1000000"))
    costs = []
    for name, count in [("small", 1_000), ("large", items)]:
        made = device(root, name, count)
        try:
            made.say_cost("all known")
            # Alternating with the small device would mix what the kernel keeps of both.
            costs.append(measure(made, max(1, count // 1_000)))
            made.say_cost("after the calls")
            memory = made.memory()
        finally:
            made.stop()
    small, large = costs
    ratios = {what: large[what] / small[what] for what in small}
    for what, ratio in ratios.items():
        say(f"{what}: small, large, ratio", f"{small[what]:.0f} µs, {large[what]:.0f} µs, {ratio:.2f}")
    slow = [what for what, ratio in ratios.items() if ratio > MOST_RATIO]
    if slow or memory > MOST_MEMORY:
        raise Failure(f"{', '.join(slow) or 'no call'} over {MOST_RATIO} times, {memory:.0f} MiB")
