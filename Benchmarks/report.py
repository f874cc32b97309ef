"""The table: the disk's numbers, and the speed of the mounts relative to the disk and to each other."""

import statistics


def table(numbers, count):
    rows = [("workload", "disk", "ubiquity", "rclone", "to disk", "rclone's", "to rclone", "goal")]
    rows += [row(entry) for entry in numbers]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(pad(cell, widths[column], column) for column, cell in enumerate(cells)).rstrip() for cells in rows]
    lines.insert(1, "-" * len(lines[0]))
    lines.append("")
    lines.append(f"Medians of at most {count} rounds. \"to disk\", \"rclone's\": speed relative to the disk (1.00 is native); "
                 "\"to rclone\": ours relative to rclone's. ! misses its goal.")
    return "\n".join(lines)


def pad(cell, width, column):
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def row(entry):
    figure = entry["figure"]
    medians = {name: statistics.median(values) for name, values in entry["values"].items() if values}
    disk, ours, rclone = (medians.get(name) for name in ("disk", "ubiquity", "rclone"))
    return (
        figure["title"], *(amount(figure, value) for value in (disk, ours, rclone)), ratio(disk, ours),
        ratio(disk, rclone), ratio(rclone, ours), goals(figure, disk, ours, rclone),
    )


def amount(figure, value):
    """A value in the figure's unit."""
    if value is None:
        return "-"
    return f"{in_unit(figure, value):,.{1 if in_unit(figure, value) < 100 else 0}f} {figure['unit']}"


def in_unit(figure, value):
    match figure["unit"]:
        case "MiB/s" | "op/s":
            return figure["count"] / max(value, 1e-9)
        case "ms":
            return value * 1e3 / figure["count"]
        case "µs":
            return value * 1e6 / figure["count"]
        case "MiB":
            return value / (1 << 20)
    raise ValueError(figure["unit"])


def ratio(base, value):
    return "-" if base is None or not value else f"{base / value:.2f}"


def goals(figure, disk, ours, rclone):
    """The goals, with a mark on each that was missed."""
    wanted = []
    if figure["goal"]:
        wanted.append((f"≥ {figure['goal']:.2f}", disk and ours and disk / ours < figure["goal"]))
    if figure["rclone_goal"]:
        wanted.append((f"≥ {figure['rclone_goal']:g}x rclone", rclone and ours and rclone / ours < figure["rclone_goal"]))
    if figure["limit"]:
        wanted.append((f"≤ {figure['limit']:g} {figure['unit']}", ours and in_unit(figure, ours) > figure["limit"]))
    return ", ".join(text + (" !" if missed else "") for text, missed in wanted)
