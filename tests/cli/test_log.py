"""`log` keeps one entry of a command and is not noticed by it: signals, terminal, exit code, whatever the ledger is."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.cli import main
from tests.logged import RECORDED, entries, environment, log, logged, spools, tree

COUNTS = """
import signal, sys, time
seen = []
for name in sys.argv[1].split(","):
    signal.signal(getattr(signal, name), lambda number, _: seen.append(number))
print("ready", flush=True)
sys.stdin.readline()
print(*seen)
sys.exit(int(sys.argv[2]))
"""
"""A training that counts the signals that it gets, until a line comes."""


def begun(root: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    """A run that says when it is ready, in a process group of its own."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        log(root, "train", "--seed", "1", "--gpus", "2", *words),
        cwd=root,
        env=environment(root, **env),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        process_group=0,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def keepers(process: subprocess.Popen[str]) -> list[int]:
    """The processes that keep the entry of a run."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [pid for pid in map(int, found) if b"reckon.run_log" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def kill(process: subprocess.Popen[str], *also: int) -> None:
    """Kills `log`, and processes beside it that are still there."""
    for pid in [process.pid, *also]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe
        with suppress(BrokenPipeError):
            pipe.close()


def until_quiet(root: Path) -> None:
    """Waits until no process works on a ledger any more: neither a training, nor what records it."""
    own = Path(f"/proc/{os.getpid()}")
    for _ in range(600):
        told = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                told.append(process != own and str(root).encode() in (process / "cmdline").read_bytes())
        if not any(told):
            return
        time.sleep(0.1)
    raise AssertionError("something still works on the ledger")


def until_kept(process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if keepers(process):
            return
        time.sleep(0.1)
    raise AssertionError("nothing keeps the entry")


def until_open(root: Path) -> None:
    for _ in range(600):
        if any(run.status == "running" for run in entries(root)):
            return
        time.sleep(0.1)
    raise AssertionError("no open entry")


@pytest.fixture(autouse=True)
def _signals_of_a_terminal() -> Iterator[None]:
    """What runs in the background of a script, or below `nohup`, ignores signals, and so would what a test begins."""
    was = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGQUIT)}
    was[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in was.items():
        signal.signal(number, handler)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tree(tmp_path / "tree")


def test_a_command_is_one_entry(ledger: Path) -> None:
    done = logged(ledger, "train", "--seed", "1", "--attempt", "2", "--gpus", "4", "--gpu", "big", "--", "sleep", "1")
    assert (done.returncode, done.stdout) == (0, "")
    (run,) = entries(ledger)
    assert (run.item, run.seed, run.attempt, run.gpu, run.gpus, run.status) == (
        "train",
        "1",
        "2",
        "big",
        4,
        "completed",
    )
    assert run.wall_hours == Fraction(1, 3600)
    assert (run.job or "").startswith("log-")
    assert str(run.end) >= str(run.start)
    assert spools(ledger) == []


def test_what_the_command_is_given_it_gets(ledger: Path) -> None:
    """Its words down to those that `budget` itself knows, what is read from a pipe, and files that are open."""
    reading, writing = os.pipe()
    code = f"import os, sys; print(sys.argv[1:], sys.stdin.read()); os.write({writing}, b'fifth'); sys.exit(7)"
    words = ["--no-cache", "--traceback", "render", "--root", "x", "--", "--help", "a secret"]
    done = subprocess.run(
        log(ledger, "train", "--seed", "1", "--", sys.executable, "-c", code, *words),
        cwd=ledger,
        env=environment(ledger),
        input="typed",
        capture_output=True,
        text=True,
        pass_fds=[writing],
    )
    assert done.returncode == 7
    assert done.stdout == f"{words} typed\n"
    assert os.read(reading, 9) == b"fifth"
    (run,) = entries(ledger)
    assert run.status == "failed"
    assert "secret" not in "".join(path.read_text("utf-8") for path in ledger.rglob("*.yaml"))


@pytest.mark.parametrize(("words", "code"), [(["no-such-command"], 127), (["./plain"], 126)])
def test_a_command_that_does_not_begin_is_no_run(ledger: Path, words: list[str], code: int) -> None:
    (ledger / "plain").write_text("no program")
    done = logged(ledger, "train", "--", *words)
    assert done.returncode == code
    assert words[0] in done.stderr
    assert entries(ledger) == []


def test_a_command_is_needed(ledger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["log", "demo", "train"], ["log", "demo", "train", "--ended", "0", "--", "true"]):
        with pytest.raises(SystemExit):
            main(["--root", str(ledger), *words])
        assert "behind --" in capsys.readouterr().err


def test_without_a_gpu_it_says_what_it_lacks_once(ledger: Path) -> None:
    done = logged(ledger, "train", "--", "true", env=environment(ledger, PATH=f"{Path(sys.executable).parent}:/bin"))
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["budget log: no GPU found; recorded with 0. State others with --gpus N"]
    assert entries(ledger)[0].gpus == 0


def test_card_and_gpus_are_those_of_nvidia_smi(ledger: Path) -> None:
    for visible, count in (("0,1", 2), ("0", 1)):
        done = logged(ledger, "train", "--", "true", env=environment(ledger, RECORDED, CUDA_VISIBLE_DEVICES=visible))
        assert (done.returncode, done.stderr) == (0, "")
        assert (entries(ledger)[-1].gpus, entries(ledger)[-1].gpu) in [(count, "big")]
        (ledger / "ledger/demo/runs" / entries(ledger)[-1].place.file.rpartition("/")[2]).unlink()
    asked = (ledger / "bin/nvidia-smi.asked").read_text().splitlines()
    assert asked[0] == "--query-gpu=name,utilization.gpu,power.draw --format=csv,noheader,nounits -i 0,1"


def test_a_card_that_the_catalogue_lacks_is_not_taken_for_another(ledger: Path) -> None:
    done = logged(ledger, "train", "--", "true", env=environment(ledger, RECORDED.replace("A100-SXM4-80GB", "H200")))
    assert done.returncode == 0
    assert "NVIDIA H200" in done.stderr
    assert entries(ledger) == []
    assert len(spools(ledger)) == 1


@pytest.mark.full
@pytest.mark.parametrize("to_group", [True, False])
@pytest.mark.parametrize(
    ("name", "many", "status"), [("SIGTERM", 1, "cancelled"), ("SIGINT", 2, "cancelled"), ("SIGUSR1", 1, "completed")]
)
def test_a_signal_reaches_the_command_once(ledger: Path, name: str, many: int, status: str, to_group: bool) -> None:
    process = begun(ledger, "--", sys.executable, "-c", COUNTS, name, "0")
    number = getattr(signal, name)
    until_open(ledger)
    for _ in range(many):
        os.killpg(process.pid, number) if to_group else os.kill(process.pid, number)
        time.sleep(0.5)
    out, _ = process.communicate("\n", timeout=60)
    assert (process.returncode, out.split()) == (0, [str(int(number))] * many)
    assert [run.status for run in entries(ledger)] == [status]


@pytest.mark.full
def test_a_terminal_is_that_of_the_command(ledger: Path) -> None:
    """It reads what is typed there, and an interrupt that is typed reaches it once."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        log(ledger, "train", "--gpus", "1", "--", sys.executable, "-c", COUNTS, "SIGINT", "3"),
        env=environment(ledger),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    said = b""
    while b"ready" not in said:
        said += os.read(ours, 100)
    os.write(ours, b"\x03")
    time.sleep(1)
    os.write(ours, b"typed\n")
    assert process.wait(timeout=60) == 3
    said += os.read(ours, 1000)
    os.close(ours)
    assert said.decode().replace("^C", "").split() == ["ready", "typed", "2"]
    assert [run.status for run in entries(ledger)] == ["cancelled"]


@pytest.mark.full
def test_a_signal_that_nobody_catches_ends_both_as_in_a_shell(ledger: Path) -> None:
    code = "import time; print('ready', flush=True); time.sleep(60)"
    for name, env, status in (
        ("SIGTERM", {}, "cancelled"),
        ("SIGTERM", {"SLURM_JOB_ID": "5"}, "preempted"),
        ("SIGTERM", {"SLURM_JOB_ID": "6", "SLURM_JOB_END_TIME": str(int(time.time()) + 30)}, "timeout"),
        ("SIGHUP", {}, "cancelled"),
    ):
        process = begun(ledger, "--", sys.executable, "-c", code, **env)
        os.kill(process.pid, getattr(signal, name))
        process.communicate(timeout=60)
        assert process.returncode == 128 + getattr(signal, name)
        assert status in [run.status for run in entries(ledger)]
    assert sorted(run.status for run in entries(ledger)) == ["cancelled", "cancelled", "preempted", "timeout"]


@pytest.mark.full
def test_what_is_ignored_stays_ignored(ledger: Path) -> None:
    words = shlex.join(log(ledger, "train", "--gpus", "1", "--", "sh", "-c", "kill -HUP $PPID $$; echo alive"))
    done = subprocess.run(
        ["sh", "-c", f"trap '' HUP; {words}"], env=environment(ledger), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "alive\n")
    assert [run.status for run in entries(ledger)] == ["completed"]


@pytest.mark.full
def test_a_broken_ledger_costs_a_warning_whose_command_takes_the_run(ledger: Path) -> None:
    plan = ledger / "ledger/demo/plan.yaml"
    was = plan.read_text()
    plan.write_text(was.replace("gpu_hours: 40", "gpu_hours: [40"))
    done = logged(ledger, "train", "--seed", "1", "--gpus", "3", "--", "sh", "-c", "sleep 2; exit 3")
    assert done.returncode == 3
    assert "plan.yaml" in done.stderr
    (spool,) = spools(ledger)
    command = done.stderr.rpartition("to take it later: python budget.py ")[2]
    assert str(spool) in command
    plan.write_text(was)
    assert main(shlex.split(command)) == 0
    (run,) = entries(ledger)
    assert (run.gpus, run.status, run.wall_hours) == (3, "failed", Fraction(2, 3600))
    assert main(shlex.split(command)) == 0  # a second time it is there
    assert len(entries(ledger)) == 1


@pytest.mark.full
def test_a_ledger_that_breaks_meanwhile_keeps_its_open_entry_until_the_run_is_taken(ledger: Path) -> None:
    plan = ledger / "ledger/demo/plan.yaml"
    was = plan.read_text()
    process = begun(ledger, "--", sys.executable, "-c", COUNTS, "SIGUSR1", "0")
    until_open(ledger)
    plan.write_text("[")
    _, err = process.communicate("\n", timeout=60)
    assert process.returncode == 0
    plan.write_text(was)
    assert [run.status for run in entries(ledger)] == ["running"]
    assert main(shlex.split(err.rpartition("to take it later: python budget.py ")[2])) == 0
    assert [run.status for run in entries(ledger)] == ["completed"]


@pytest.mark.full
def test_names_that_the_ledger_does_not_have_and_no_ledger_at_all(tmp_path: Path, ledger: Path) -> None:
    for words in (["nothing", "train"], ["demo", "nothing"]):
        done = subprocess.run(
            [*log(ledger)[:-1], *words, "--gpus", "1", "--", "sh", "-c", "echo fine; exit 4"],
            cwd=tmp_path,
            env=environment(ledger),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (4, "fine\n")
        assert "nothing" in done.stderr
    assert len(spools(ledger)) == 2
    done = subprocess.run(
        log(tmp_path / "none", "train", "--gpus", "1", "--", "true"), cwd=tmp_path, env=environment(tmp_path), text=True
    )
    assert done.returncode == 0
    assert len(spools(tmp_path)) == 1  # there is no such repository: it lies in the current folder


@pytest.mark.full
@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write anything")
def test_a_ledger_that_may_not_be_written(tmp_path: Path, ledger: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    folders = [ledger, *(path for path in ledger.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    bound = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    words = [*bound, *log(ledger, "train", "--seed", "1", "--gpus", "1", "--", "sh", "-c", "echo fine; exit 5")]
    done = subprocess.run(words, cwd=here, env=environment(here), capture_output=True, text=True)
    for folder in folders:
        folder.chmod(0o755)
    assert (done.returncode, done.stdout) == (5, "fine\n")
    (spool,) = spools(here)
    assert entries(ledger) == []
    assert f"add runs {spool} demo --root {ledger}" in done.stderr
    assert main(shlex.split(done.stderr.rpartition("to take it later: python budget.py ")[2])) == 0
    assert [run.status for run in entries(ledger)] == ["failed"]


@pytest.mark.full
def test_ten_at_once_are_ten_entries(ledger: Path) -> None:
    own = environment(ledger, SLURM_JOB_ID="77", SLURM_GPUS="a100:2")
    running = [
        subprocess.Popen(log(ledger, "train", "--seed", "1", "--", "sleep", "1"), cwd=ledger, env=own)
        for _ in range(10)
    ]
    assert [process.wait(timeout=180) for process in running] == [0] * 10
    found = entries(ledger)
    assert [(run.status, run.gpus) for run in found] == [("completed", 2)] * 10
    jobs = {str(run.job) for run in found}
    assert len(jobs) == 10
    assert "77" in jobs  # the first has the id of the job, the others one made of it
    assert all(job == "77" or job.startswith("77-") for job in jobs)
    assert spools(ledger) == []


@pytest.mark.full
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.8, 1.5, 3.0])
def test_a_kill_leaves_one_entry_or_a_whole_file(ledger: Path, wait: float, both: bool) -> None:
    """`log` is killed, alone or with the process that keeps its entry; the training runs on."""
    flag = ledger / "done"
    code = f"import time; print('ready', flush=True); time.sleep({wait + 1}); open({str(flag)!r}, 'w')"
    process = begun(ledger, "--", sys.executable, "-c", code)
    until_kept(process)
    time.sleep(wait)
    kill(process, *(keepers(process) if both else ()))
    until_quiet(ledger)
    assert flag.exists()
    left = [path for path in spools(ledger) if path.suffix == ".csv"]
    for path in left:
        assert main(["--root", str(ledger), "add", "runs", str(path), "demo"]) == 0
    found = [run.status for run in entries(ledger)]
    assert found in ([["running"], []] if both else [["running"]])


@pytest.mark.full
def test_a_kill_at_the_end_loses_nothing(ledger: Path) -> None:
    for wait in (0.0, 0.2, 0.5, 1.0):
        process = begun(ledger, "--attempt", str(wait), "--", sys.executable, "-c", COUNTS, "SIGUSR1", "0")
        until_open(ledger)
        keeping = keepers(process)
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(wait)
        kill(process, *keeping)
        until_quiet(ledger)
        for path in spools(ledger):
            if path.suffix == ".csv":
                assert main(["--root", str(ledger), "add", "runs", str(path), "demo"]) == 0
                path.unlink()
        (run,) = [run for run in entries(ledger) if run.attempt == str(wait)]
        if run.status == "running":
            assert main(["--root", str(ledger), "update", "run", "--job", str(run.job), "--status", "failed"]) == 0


def test_the_job_that_ends_closes_what_was_left_open(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an epilog calls it: of a job of two nodes with four GPUs each, which a signal ended after 3 h."""
    start = 1_767_603_600  # 2026-01-05T09:00:00Z
    runs = ledger / "ledger/demo/runs/2026-01-05-train.yaml"
    line = "- {start: 2026-01-05T09:00:05Z, item: train, seed: 1, gpus: 8, wall_hours: 0, status: running, job: 77}\n"
    runs.write_text(line)
    own = {"SLURM_JOB_ID": "77", "SLURM_GPUS_ON_NODE": "4", "SLURM_NNODES": "2", "SLURM_JOB_START_TIME": str(start)}
    for code in ("143", "0"):  # the second node says it again
        done = logged(ledger, "train", "--seed", "1", "--ended", code, env=environment(ledger, **own))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (run,) = entries(ledger)
    assert (run.status, run.gpus, run.start) == ("preempted", 8, "2026-01-05T09:00:00Z")
    assert run.wall_hours is not None
    assert abs(run.wall_hours * 3600 - (time.time() - start)) < 60


def test_an_epilog_never_fails(ledger: Path) -> None:
    done = logged(ledger, "train", "--ended", "0")
    assert done.returncode == 0
    assert "SLURM_JOB_ID" in done.stderr
    assert entries(ledger) == []
