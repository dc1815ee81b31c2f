"""Moments of another process for which a test waits. The system tells when they come, so a busy machine only takes longer."""
import pathlib
import signal
import time

PATIENCE = 600  # seconds; only a test that fails waits so long


def wait_until(reached, process, read=lambda: time.sleep(0.01)):
    """Waits until `reached()`, and calls `read` meanwhile. The process must not end before."""
    give_up = time.monotonic() + PATIENCE
    while not reached():
        if process.poll() is not None:
            raise AssertionError(f"the process ended before, with status {process.returncode}")
        if time.monotonic() > give_up:
            raise AssertionError(f"nothing came for {PATIENCE} seconds")
        read()


def _told(process, file):
    try:
        return pathlib.Path(f"/proc/{process.pid}/{file}").read_text()
    except ProcessLookupError:
        return ""


def catches(process, *signals):
    """Whether the process has handlers of these signals."""
    caught = next((int(line.split()[1], 16) for line in _told(process, "status").splitlines() if line.startswith("SigCgt:")), 0)
    return all(caught >> (number - 1) & 1 for number in signals)


def wait_for_handlers(process):
    """Waits until a request to end is no longer the end of the process at once."""
    wait_until(lambda: catches(process, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM), process)


def processor_seconds(process):
    """What the process has had of processors, in steps of 10 ms."""
    # The name, which may hold blanks, ends with the last parenthesis.
    fields = _told(process, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100 if fields else 0.0


def wait_for_work(process, seconds, read=lambda: time.sleep(0.01)):
    """Waits until the process has had so many more seconds of processors."""
    begin = processor_seconds(process)
    wait_until(lambda: processor_seconds(process) >= begin + seconds, process, read)


def without_alarm():
    """For `preexec_fn`: a run that must end by itself when it is asked, however long it takes, and is not ended by SIGALRM."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
