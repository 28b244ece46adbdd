# ruff: noqa: E501 (tables read better unbroken)
"""Settings, levers, statements and projections that cannot hold together, each beside one that just can."""

from __future__ import annotations

Case = tuple[str, dict[str, str], list[str]]

FRAME = """\
frame:
  title: Frame
  settings:
    patience: {role: request-timeout, unit: seconds, of: generation_seconds}
    wait_minutes: {role: request-timeout}
    longest: {role: output-cap, of: output_tokens, unit: tokens}
    widest: {role: input-cap, of: input_tokens}
    heat: {role: temperature}
    nucleus: {role: sampling, default: 1}
    mode: {role: decoding}
"""
ROWS = "[{generation_seconds: 29.5, tokenization_milliseconds: 250, output_tokens: 100}, {generation_seconds: 29, tokenization_milliseconds: 1000, output_tokens: 90}]"


def ran(
    settings: str, frame: str = FRAME, kind: str = "measured", configuration: str = "c", more: str = "", **files: str
) -> dict[str, str]:
    """Two requests of 29.75 s and 30 s, with 100 and 90 tokens, under a configuration with these settings."""
    of = f"title: M, kind: {kind}, row: request, configuration: {configuration}, rows: {ROWS}, total: [generation_seconds, tokenization_milliseconds]"
    return {
        "ledger/catalog/settings.yaml": frame,
        "measurements": f"m: {{{of}}}\n",
        "configurations": f"c: {{title: C, framework: frame, settings: {{{settings}}}}}\n{more}",
        **files,
    }


def lever(fields: str, status: str = "active") -> str:
    return f"l: {{title: L, status: {status}, configuration: c, {fields}}}\n"


def stated(*values: str) -> dict[str, str]:
    """A figure that the ledger does not know, stated in several places."""
    claims = "".join(f"- {{of: figures.f, at: Page {page}, states: {value}}}\n" for page, value in enumerate(values, 1))
    return {"figures": "f: {title: F, hours: unknown}\n", "claims": claims}


def reported(figure: str, seconds: str = "36-72", more: str = "") -> dict[str, str]:
    """A projection of 10 to 20 hours beside what was reported."""
    return {
        "measurements": f"m: {{title: M, kind: measured, gpus: 1, seconds_per_step: {seconds}}}\n",
        "projections": f"q: {{title: Q, measurements: [m], steps: 1000, reported: r{more}}}\n",
        "figures": f"r: {{title: Reported, {figure}}}\n",
    }


def at(name: str) -> str:
    return f"p.configurations.c.settings.{name}"


CASES: list[Case] = [
    ("time-out as long as the longest request", ran("patience: 29.5"), []),
    (
        "time-out below one request of two",
        ran("patience: 29.4"),
        [f"error setting-contradicted:{at('patience')}#timeout"],
    ),
    (
        "time-out with its unit after it",
        ran("patience: 0.49 min"),
        [f"error setting-contradicted:{at('patience')}#timeout"],
    ),
    ("time-out whose name has the unit, as long as the whole of a row", ran("wait_minutes: 0.5"), []),
    (
        "time-out whose name has the unit, below the whole of a row",
        ran("wait_minutes: 0.499"),
        [f"error setting-contradicted:{at('wait_minutes')}#timeout"],
    ),
    ("time-out of which only the low end is below", ran("patience: 20-40"), []),
    (
        "time-out that an active lever sets",
        ran("", levers=lever("sets: {patience: 10}")),
        ["error setting-contradicted:p.levers.l.sets.patience#timeout"],
    ),
    ("time-out of a lever that was only tested", ran("", levers=lever("sets: {patience: 10}", "tested")), []),
    (
        "time-out by default",
        ran("", FRAME.replace("of: generation_seconds", "of: generation_seconds, default: 10")),
        [f"error setting-contradicted:{at('patience')}#timeout"],
    ),
    (
        "default that is not taken",
        ran("patience: 30", FRAME.replace("of: generation_seconds", "of: generation_seconds, default: 10")),
        [],
    ),
    ("time-out beside what was only estimated", ran("patience: 10", kind="estimated"), []),
    ("time-out of another configuration", ran("patience: 10", configuration="in words"), []),
    (
        "time-out of the base of a configuration",
        ran("patience: 29", more="d: {title: D, base: c}\n", configuration="d"),
        [f"error setting-contradicted:{at('patience')}#timeout"],
    ),
    ("setting that the framework does not have", ran("anything: 10, more: text"), []),
    ("cap that a request reaches", ran("longest: 100"), []),
    ("cap that no request reaches", ran("longest: 101"), [f"note setting-contradicted:{at('longest')}#unreached"]),
    ("cap that a request is above", ran("longest: 99"), [f"warning setting-contradicted:{at('longest')}#exceeded"]),
    ("cap on a column that was not measured", ran("widest: 1"), []),
    (
        "temperature beside greedy decoding",
        ran("mode: greedy, heat: 0.7"),
        [f"warning setting-contradicted:{at('mode')}#sampling"],
    ),
    ("temperature of zero beside greedy decoding", ran("mode: greedy, heat: 0"), []),
    ("temperature beside sampling", ran("mode: sampled, heat: 0.7"), []),
    ("sampling set as it is by default beside greedy decoding", ran("mode: greedy, nucleus: 1"), []),
    (
        "sampling set beside greedy decoding",
        ran("mode: Greedy, nucleus: 0.9"),
        [f"warning setting-contradicted:{at('mode')}#sampling"],
    ),
    (
        "greedy decoding by an active lever",
        ran("heat: 0.7", levers=lever("sets: {mode: greedy}")),
        ["warning setting-contradicted:p.levers.l.sets.mode#sampling"],
    ),
    (
        "greedy decoding by a lever that was rejected",
        ran("heat: 0.7", levers=lever("sets: {mode: greedy}", "rejected")),
        [],
    ),
    (
        "reduction that increases",
        ran("", levers=lever("was: {pictures: 5}, sets: {pictures: 6}, lowers: [pictures]")),
        ["warning setting-contradicted:p.levers.l.sets.pictures#increase"],
    ),
    (
        "reduction that changes nothing",
        ran("", levers=lever("was: {pictures: 5}, sets: {pictures: 5}, lowers: [pictures]")),
        [],
    ),
    ("increase that is not said to reduce", ran("", levers=lever("was: {pictures: 5}, sets: {pictures: 6}")), []),
    (
        "reduction written in two units",
        ran("", levers=lever("was: {patience: 1 min}, sets: {patience: 60}, lowers: [patience]")),
        [],
    ),
    (
        "reduction written in two units that increases",
        ran("", levers=lever("was: {patience: 1 min}, sets: {patience: 61}, lowers: [patience]")),
        ["warning setting-contradicted:p.levers.l.sets.patience#increase"],
    ),
    ("lever that its configuration has", ran("patience: 60", levers=lever("sets: {patience: 1 min}")), []),
    (
        "lever that its configuration has not",
        ran("patience: 60", levers=lever("sets: {patience: 2 min}")),
        ["error setting-contradicted:p.levers.l.sets.patience#configuration"],
    ),
    (
        "lever with other words than its configuration",
        ran("mode: Beam", levers=lever("sets: {mode: sampled}")),
        ["error setting-contradicted:p.levers.l.sets.mode#configuration"],
    ),
    (
        "lever that a configuration applies, and sets otherwise itself",
        ran(
            "",
            more="d: {title: D, levers: [l], settings: {patience: 60}}\n",
            levers="l: {title: L, sets: {patience: 59}}\n",
        ),
        ["error setting-contradicted:p.levers.l.sets.patience#configuration"],
    ),
    (
        "lever that a configuration applies to what it takes over",
        ran(
            "patience: 60", more="d: {title: D, base: c, levers: [l]}\n", levers="l: {title: L, sets: {patience: 59}}\n"
        ),
        [],
    ),
    ("lever that is only planned", ran("patience: 60", levers=lever("sets: {patience: 2 min}", "planned")), []),
    ("figure stated twice alike", stated("100", "~100", "100.0"), []),
    ("figure stated twice within rounding", stated("100", "101"), []),
    ("figure stated twice, beyond rounding", stated("100", "102"), ["warning stated-differently:p.figures.f"]),
    ("figure stated in two units", stated("2 d", "48"), []),
    ("number inside a stated range", stated("5-15", "15"), []),
    ("number outside of a stated range", stated("5-15", "17"), ["warning stated-differently:p.figures.f"]),
    ("ranges that end alike within rounding", stated("5-15", "5-16"), []),
    ("ranges that end differently", stated("5-15", "5-17"), ["note stated-differently:p.figures.f"]),
    ("ranges that share nothing", stated("5-15", "17-20"), ["warning stated-differently:p.figures.f"]),
    ("bound that what is stated keeps", stated("16.7", "16+"), []),
    ("bound that what is stated does not keep", stated("14.7", "16+"), ["warning stated-differently:p.figures.f"]),
    ("one odd statement among three", stated("3", "3", "4.1"), ["warning stated-differently:p.figures.f"]),
    ("projection inside what was reported", reported("hours: 10-20"), []),
    ("projection inside what was reported in minutes", reported("minutes: 600-1200"), []),
    (
        "projection partly inside what was reported",
        reported("hours: 10-19"),
        ["note reported-apart:p.projections.q.m.reported"],
    ),
    (
        "projection that touches what was reported",
        reported("hours: 20-30"),
        ["note reported-apart:p.projections.q.m.reported"],
    ),
    (
        "projection outside of what was reported",
        reported("hours: 21-30"),
        ["warning reported-apart:p.projections.q.m.reported"],
    ),
    ("projection on other GPUs with its efficiency", reported("hours: 10-20", more=", gpus: 2, efficiency: 50%"), []),
    (
        "projection on other GPUs without its efficiency",
        reported("hours: 10-20", more=", gpus: 2"),
        ["warning input-missing:p.projections.q#projection"],
    ),
    (
        "projection from what is unknown",
        reported("hours: 10-20", "unknown"),
        ["warning input-missing:p.projections.q#projection"],
    ),
]
