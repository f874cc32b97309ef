"""The table: each target's numbers, and our speed relative to that of the others."""

import statistics


def table(numbers, count, names):
    """The rows of all figures. `names` are those of the targets that were measured, the disk first."""
    others = [name for name in names if name not in ("disk", "ubiquity")]
    rows = [("workload", *names, "to disk", *(f"to {name}" for name in others), "goal")]
    rows += [row(entry, names, others) for entry in numbers]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(pad(cell, widths[column], column) for column, cell in enumerate(cells)).rstrip() for cells in rows]
    lines.insert(1, "-" * len(lines[0]))
    lines.append("")
    lines.append(f"Medians of at most {count} rounds. \"to disk\" and the others: our speed relative to theirs (1.00 is equal), the median of the "
                 "rounds, with the lowest and highest. ! misses its goal.")
    return "\n".join(lines)


def pad(cell, width, column):
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def row(entry, names, others):
    figure, values = entry["figure"], entry["values"]
    medians = {name: statistics.median(values[name]) for name in names if values[name]}
    return (
        figure["title"], *(amount(figure, medians.get(name)) for name in names),
        *(ratio(values[name], values["ubiquity"]) for name in ("disk", *others)), goals(figure, values, medians.get("ubiquity")),
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


def ratios(theirs, ours):
    """Our speed relative to theirs, for each round; for all rounds together if one failed for one of the two."""
    if not theirs or not ours:
        return []
    if len(theirs) != len(ours):
        theirs, ours = [statistics.median(theirs)], [statistics.median(ours)]
    return [base / max(value, 1e-9) for base, value in zip(theirs, ours)]


def ratio(theirs, ours):
    """The median of the rounds, with the lowest and the highest."""
    found = ratios(theirs, ours)
    if not found:
        return "-"
    middle = f"{statistics.median(found):.2f}"
    return middle if len(found) == 1 else f"{middle} ({min(found):.2f} to {max(found):.2f})"


def goals(figure, values, ours):
    """The goals, with a mark on each that was missed: by the median that the table shows."""
    def is_below(goal, name):
        found = ratios(values.get(name), values["ubiquity"])
        return found and statistics.median(found) < goal

    wanted = []
    if figure["goal"]:
        wanted.append((f"≥ {figure['goal']:.2f}", is_below(figure["goal"], "disk")))
    if figure["rclone_goal"]:
        wanted.append((f"≥ {figure['rclone_goal']:g}x rclone", is_below(figure["rclone_goal"], "rclone")))
    if figure["limit"]:
        wanted.append((f"≤ {figure['limit']:g} {figure['unit']}", ours and in_unit(figure, ours) > figure["limit"]))
    return ", ".join(text + (" !" if missed else "") for text, missed in wanted)
