"""Runs one program that reads nvidia-smi and prints what it made of it, as JSON: for each GPU whatever of
index, used and total memory in MiB, utilization and temperature the program tells. usage: read.py PROGRAM
The nvidia-smi that these programs find first on PATH is the one under test."""

import json
import re
import subprocess
import sys


def gputil():
    import GPUtil
    return [
        {"index": g.id, "used": g.memoryUsed, "total": g.memoryTotal, "busy": round(g.load * 100),
         "degrees": g.temperature} for g in GPUtil.getGPUs()
    ]


def nvsmi():
    import nvsmi
    processes = {p.pid: p.used_memory for p in nvsmi.get_gpu_processes()}
    return [
        {"index": int(g.id), "used": g.mem_used, "total": g.mem_total, "busy": g.gpu_util, "degrees": g.temperature,
         "processes": len(processes)} for g in nvsmi.get_gpus()
    ]


def nvidia_htop():
    # It passes the table through and colors nothing in a pipe; what it found is in its meter of memory.
    text = subprocess.run(["nvidia-htop.py", "-m"], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = re.findall(r"(\d+)MiB\s+/\s+(\d+)MiB.*?(\d+)%", text)
    return [{"index": at, "used": int(u), "total": int(t), "busy": int(b)} for at, (u, t, b) in enumerate(rows)]


def gpuinfo():
    from gpuinfo import GPUInfo
    _, percents, memory, _ = GPUInfo.get_info()
    # It looks at the last five characters before MiB only, whatever the table says.
    return [{"index": at, "used_end": str(m)[-5:], "busy": b} for at, (b, m) in enumerate(zip(percents, memory))]


def nvgpu():
    import nvgpu
    return [{"index": int(g["index"]), "used": g["mem_used"], "total": g["mem_total"]} for g in nvgpu.gpu_info()]


def gpufetch():
    text = subprocess.run(["gpufetch"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    memory = re.findall(r"VRAM\s+\S+\s+(\d+)/(\d+) MiB", text)
    busy = [int(n) for n in re.findall(r"UTIL\s+\S+\s+(\d+)%", text)]
    return [{"index": at, "used": int(u), "total": int(t), "busy": b} for at, ((u, t), b) in enumerate(zip(memory, busy))]


def gpu_monitor():
    import GPUMonitor
    number = lambda text: float(text.split()[0])
    return [
        {"index": int(g["index"]), "used": number(g["memory.used"]), "total": number(g["memory.total"]),
         "busy": number(g["utilization.gpu"]), "degrees": number(g["temperature.gpu"])}
        for g in GPUMonitor.getGPUInfo().values()
    ]


print(json.dumps(globals()[sys.argv[1]]()))
