"""The work that is measured, in the order in which it runs."""

from workloads import attributes, delta, listing, names, opening, placeholders, programs, random_access, saving, sequential

ALL = [
    sequential.Sequential(), random_access.RandomAccess(), names.Names(), opening.Opening(), listing.Listing(),
    attributes.Attributes(), programs.Untar(), programs.Copy(), programs.Git(), saving.AtomicSaves(), saving.SQLite(),
    placeholders.FirstOpen(), delta.Delta(),
]


def describe():
    """One line for each workload, for --help."""
    return "\n".join(f"  {workload.name:<14} {workload.__doc__.strip().splitlines()[0]}" for workload in ALL)
