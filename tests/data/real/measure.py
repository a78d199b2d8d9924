#!/usr/bin/env python3
"""Asks the nvidia-smi of this host what it prints on every machine of ../../machines, and keeps that beside this
file: NAME.json for each machine. The stand-in for the driver's library answers in place of the driver.

    cargo build -p fake-nvml
    ./measure.py ../../../target/debug/libfake_nvml.so            all machines
    ./measure.py ../../../target/debug/libfake_nvml.so h200 gb10  some of them
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent.parent
# Every name that --query-gpu accepts, with the header of its column.
FIELDS = [line.split("\t") for line in (TESTS / "data" / "query-gpu-headers.tsv").read_text().splitlines()]

COMMANDS = {
    "plain": [],
    "L": ["-L"],
    "all": ["--query-gpu=" + ",".join(name for name, _ in FIELDS), "--format=csv"],
    "apps": ["--query-compute-apps=gpu_uuid,pid,name,used_memory", "--format=csv"],
    "memory": ["-q", "-d", "MEMORY"],
    "i1": ["-i", "1", "--query-gpu=index,name", "--format=csv"],
}


def words(line):
    """A line as text, or as its bytes where it is not UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return list(line)


def columns(lines):
    """The rows of all fields by columns, equal columns once; nothing if that would not give the same rows back."""
    header, *rows = lines[:-1]
    cells = [row.split(", ") if isinstance(row, str) else [] for row in rows]
    if header != ", ".join(header for _, header in FIELDS) or lines[-1] or any(len(row) != len(FIELDS) for row in cells):
        return None
    names = {}
    for (name, _), column in zip(FIELDS, zip(*cells)):
        names.setdefault(column, []).append(name)
    return [{"fields": fields, "cells": list(column)} for column, fields in names.items()]


def kept(status, stdout, stderr):
    lines = [words(line) for line in stdout.split(b"\n")]
    by_columns = columns(lines) if len(lines) > 2 else None
    said = {"columns": by_columns} if by_columns else {"stdout": lines}
    return {"status": status, "stderr": stderr.decode(), **said}


def text(said):
    """JSON with a line for each command's line or column."""
    parts = []
    for command, result in said.items():
        key = "columns" if "columns" in result else "stdout"
        lines = ",\n".join("    " + json.dumps(line) for line in result[key])
        parts.append(f'  "{command}": {{"status": {result["status"]}, "stderr": {json.dumps(result["stderr"])}, '
                     f'"{key}": [\n{lines}\n  ]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def measure(machine, folder):
    said = {}
    # Nothing of the caller's that changes output.
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": folder, "FAKE_NVML_MACHINE": str(machine)}
    for command, arguments in COMMANDS.items():
        run = subprocess.run(["nvidia-smi", *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=20)
        said[command] = kept(run.returncode, run.stdout, run.stderr)
    return said


def main():
    if len(sys.argv) < 2 or not shutil.which("nvidia-smi"):
        sys.exit(__doc__ + "\nThis needs nvidia-smi." * (not shutil.which("nvidia-smi")))
    names = sys.argv[2:] or sorted(path.stem for path in (TESTS / "machines").glob("*.json"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(sys.argv[1], pathlib.Path(folder) / "libnvidia-ml.so.1")
        for name in names:
            said = measure(TESTS / "machines" / f"{name}.json", folder)
            (HERE / f"{name}.json").write_text(text(said))
            print(name, {command: result["status"] for command, result in said.items()})


if __name__ == "__main__":
    main()
