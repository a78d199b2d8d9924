"""Writes what gpustat 1.1.1 prints on recorded machines, for tests/gpustat.rs to compare with.

    FAKE=FOLDER python make.py MACHINE...     (with gpustat 1.1.1 installed)

FOLDER holds the fake NVML library as libnvidia-ml.so.1. gpustat runs unchanged; only the host that it looks at
is the recording's: its name, its clock and its processes, whose processor load is the share of their lives that
they have computed.
"""
import json, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(HERE, "..", "..", "machines")

LINES = [
    [], ["-a"], ["-cup"], ["-c"], ["-u"], ["-p"], ["-f"], ["-F"], ["-e"], ["-e", "enc"], ["-e", "dec"], ["-P"],
    ["-P", "draw"], ["-P", "limit"], ["--json"], ["--color"], ["--color", "-a"], ["--color", "-f"],
    ["--color", "-cFP", "draw"], ["--no-color"], ["--no-header"], ["--id", "0"], ["--id", "9"], ["--id", "1,0,0"],
    ["--id", "x"], ["--no-processes"], ["--no-processes", "-f"], ["--gpuname-width", "4"],
    ["--gpuname-width", "30"], ["--gpuname-width", "0"], ["--gpuname-width", "1"], ["--no-header", "-cupFfP", "-e"],
]
# Where there is no driver all lines end alike.
REFUSED, FEW = ["driver-not-loaded", "version-mismatch"], [[], ["-a"], ["--json"], ["--id", "x"], ["-v"]]


def child(machine, args):
    """Runs gpustat in this process, on the recording's host."""
    import datetime, platform
    frame = json.JSONDecoder().raw_decode(open(machine, encoding="utf-8").read())[0]
    platform.node = lambda: frame["host"]
    import psutil

    class Process:
        def __init__(self, pid):
            known = frame["processes"].get(str(pid))
            if known is None:
                raise psutil.NoSuchProcess(pid)
            self.known = known

        def username(self):
            if "user" not in self.known:
                raise psutil.AccessDenied()
            return self.known["user"]

        def cmdline(self):
            words = self.known.get("command", [])
            # psutil takes the single word of a program that wrote itself a title apart.
            return words[0].split(" ") if len(words) == 1 and " " in words[0] else words

        def cpu_percent(self):
            age, used = self.known.get("age"), self.known.get("cpu_time")
            return round(used / 10 / age, 1) if age and used is not None else 0.0

        def memory_percent(self):
            if "resident" not in self.known:
                raise psutil.AccessDenied()
            return self.known["resident"] / psutil.virtual_memory().total * 100

    psutil.Process = Process
    psutil.pid_exists = lambda pid: True
    import gpustat.cli, gpustat.core

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.fromisoformat(frame["taken"])

    gpustat.core.datetime = Clock
    gpustat.core.time.sleep = lambda seconds: None
    gpustat.cli.main("gpustat", *args)


def main():
    for name in sys.argv[1:]:
        machine = os.path.join(MACHINES, name + ".json")
        env = dict(os.environ, LD_LIBRARY_PATH=os.environ["FAKE"], FAKE_NVML_MACHINE=machine, PYTHONUTF8="1",
                   TERM="xterm-256color")
        runs = []
        for args in FEW if name in REFUSED else LINES:
            done = subprocess.run([sys.executable, __file__, "--child", machine, *args], env=env, capture_output=True)
            runs.append({"args": args, "status": done.returncode, "stdout": done.stdout.decode(),
                         "stderr": done.stderr.decode()})
        with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(runs, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    child(sys.argv[2], sys.argv[3:]) if sys.argv[1:2] == ["--child"] else main()
