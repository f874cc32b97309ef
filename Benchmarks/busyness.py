"""How much of the processors other programs use while nothing is measured."""

import time

# From this share on, medians of three rounds differ by more than the differences that are looked for.
LIMIT = 0.1


class Neighbours:
    """Observes the processors while the targets are idle."""

    def __init__(self):
        self._worst = 0.0

    def observe(self, seconds=2.0):
        """Waits for `seconds`, in which nothing of the benchmark runs."""
        before = processor_times()
        time.sleep(seconds)
        busy, total = (after - earlier for after, earlier in zip(processor_times(), before))
        self._worst = max(self._worst, busy / max(total, 1))

    @property
    def warning(self):
        """What to say about the machine; None if it was quiet."""
        if self._worst < LIMIT:
            return None
        return (f"The machine was busy: other programs, or other guests of its host, used {self._worst:.0%} of the processors between the "
                "rounds. Do not rely on these numbers; run again when it is quiet.")


def processor_times():
    """Returns the busy and the total time of all processors, in ticks: proc_stat(5). Stolen time is busy, waiting for a disk is not."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, iowait, irq, softirq, steal = (int(word) for word in file.readline().split()[1:9])
    busy = user + nice + system + irq + softirq + steal
    return busy, busy + idle + iowait
