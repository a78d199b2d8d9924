#!/usr/bin/env python3
"""Makes the machines of this folder that nobody could record, from those that were recorded on an H200.

Each `def` under "The machines" below states in plain edits how one machine differs from the recording that it
starts from; its docstring becomes the `about` of the file. What stands in no edit is as the H200 answered. The
script is deterministic: running it again gives the same bytes.

    ./derive.py          write the files, and src/driver/demo.json from which the demo machine is made
    ./derive.py --check  write nothing; say which files are not as the script would make them, and fail if any

A question that a recording does not hold is one that the machine's library does not know, as is one with the
answer {"error": 13}. The driver branch in which each call first appeared is read from ../fake-nvml/introduced.txt.
"""

import copy
import inspect
import json
import pathlib
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "src" / "driver" / "demo.json"
MIB = 1 << 20

NOT_SUPPORTED, NO_PERMISSION, INSUFFICIENT_SIZE, LOST, DEPRECATED, UNKNOWN = 3, 4, 7, 15, 26, 999
DRIVER_NOT_LOADED, FUNCTION_NOT_FOUND, VERSION_MISMATCH, NOT_UNDERSTOOD = 9, 13, 18, 25


# Tools --------------------------------------------------------------------------------------------------------------

def error(code):
    return {"error": code}


def base(name="h200"):
    """A recording, with its long lists of settable clocks cut to the fastest, one between and the slowest."""
    machine = json.loads((HERE / f"{name}.json").read_text())
    for device in machine["devices"]:
        for key, clocks in device["answers"].items():
            if function(key) == "nvmlDeviceGetSupportedGraphicsClocks":
                device["answers"][key] = [clocks[0], clocks[len(clocks) // 2], clocks[-1]]
    return machine


def function(key):
    """`nvmlDeviceGetClockInfo` of `nvmlDeviceGetClockInfo(1)`."""
    return key.partition("(")[0]


def full(name):
    """The C function that an edit calls by its name without `nvmlDeviceGet`."""
    return name if name.startswith("nvml") else "nvmlDeviceGet" + name


def put(answers, **changes):
    """New answers to calls without arguments."""
    for name, value in changes.items():
        assert full(name) in answers, name
        answers[full(name)] = value


def put_at(answers, name, values):
    """New answers to a call with arguments, by those: `{(1,): 1980}` or `{1: 1980}`."""
    for arguments, value in values.items():
        arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        answers[f"{full(name)}({','.join(map(str, arguments))})"] = value


def refuse(answers, code, *names):
    """One code instead of an answer, with whatever arguments these calls are made."""
    wanted = set(map(full, names))
    found = [key for key in answers if function(key) in wanted]
    assert wanted == set(map(function, found)), wanted - set(map(function, found))
    for key in found:
        answers[key] = error(code)


def refuse_values(answers, code, *ids):
    """The same for field values of any scope."""
    for key in answers:
        if key.startswith("nvmlDeviceGetFieldValues(") and int(key[25:].partition(",")[0]) in ids:
            answers[key] = error(code)


def refuse_all(answers, code):
    for key in answers:
        answers[key] = error(code)


def slim(answers):
    """Leaves out what the device does not support: for a reader that is the same as a call that does not exist."""
    absent = (error(NOT_SUPPORTED), error(FUNCTION_NOT_FOUND))
    return {key: value for key, value in answers.items() if value not in absent}


def age(machine, version):
    """An older driver: calls that came after its branch do not exist."""
    number = lambda text: tuple(map(int, text.split(".")[:2]))
    newer = set()
    for line in (HERE.parent / "fake-nvml" / "introduced.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, branch = line.split()[:2]
            # A bare branch such as 450 means that its first driver already had the call.
            if number(branch if "." in branch else branch + ".0") > number(version):
                newer.add(name)
    for answers in [machine["system"], *(device["answers"] for device in machine["devices"])]:
        for key in answers:
            if function(key) in newer:
                answers[key] = error(FUNCTION_NOT_FOUND)


def driver(machine, version, cuda):
    """Names the driver and the CUDA version, as `13.0`, that it serves."""
    major, minor = cuda.split(".")
    machine["system"]["nvmlSystemGetDriverVersion"] = version
    machine["system"]["nvmlSystemGetNVMLVersion"] = f"{major}.{version}"
    machine["system"]["nvmlSystemGetCudaDriverVersion_v2"] = int(major) * 1000 + int(minor) * 10


def many(machine, count):
    """Copies the first device until there are `count` of them."""
    first = machine["devices"][0]
    machine["devices"] = [copy.deepcopy(first) for _ in range(count)]
    machine["system"]["nvmlDeviceGetCount_v2"] = count
    for index, device in enumerate(machine["devices"]):
        put(device["answers"], Index=index)
    return [device["answers"] for device in machine["devices"]]


def identify(answers, label, serial=None):
    """A UUID, and a serial number where there is one, that no other device of these machines has."""
    put(answers, UUID=f"GPU-{uuid.uuid5(uuid.NAMESPACE_DNS, label)}")
    put(answers, Serial=error(NOT_SUPPORTED) if serial is None else str(serial))


def place(answers, bus_id, device_id=None, subsystem_id=None, sub_class=None):
    """A place on the PCI bus, and what sits there."""
    domain, bus, rest = bus_id.split(":")
    for form in ("PciInfoExt", "PciInfo_v3"):
        pci = answers[full(form)]
        pci.update(domain=int(domain, 16), bus=int(bus, 16), device=int(rest[:2], 16), bus_id=bus_id)
        if device_id is not None:
            pci.update(device_id=device_id, subsystem_id=subsystem_id)
        if sub_class is not None and form == "PciInfoExt":
            pci.update(sub_class=sub_class)


def memory(answers, total, reserved, used):
    """Memory in bytes by both calls: the older counts what the driver keeps as used."""
    free = total - reserved - used
    put(answers, MemoryInfo_v2={"total": total, "reserved": reserved, "free": free, "used": used})
    put(answers, MemoryInfo={"total": total, "free": free, "used": used + reserved})


def power(answers, watts=None, least=None, most=None, limit=None):
    """Draw and limits in watts, by every call that tells them."""
    if watts is not None:
        put(answers, PowerUsage=int(watts * 1000))
        put_at(answers, "FieldValues", {(185, 0): int(watts * 1000), (186, 0): int(watts * 1000)})
    if limit is not None:
        put(answers, PowerManagementLimit=limit * 1000, EnforcedPowerLimit=limit * 1000,
            PowerManagementDefaultLimit=limit * 1000,
            PowerManagementLimitConstraints={"min": least * 1000, "max": most * 1000})
        put_at(answers, "FieldValues", {(187, 0): least * 1000, (188, 0): most * 1000, (189, 0): limit * 1000,
                                        (190, 0): limit * 1000, (192, 0): limit * 1000})


def heat(answers, chip, hbm=None, margin=None):
    """Temperatures in °C."""
    put(answers, Temperature=chip, TemperatureV=chip)
    put(answers, MarginTemperature=error(NOT_SUPPORTED) if margin is None else margin)
    put_at(answers, "FieldValues", {(82, 0): error(NOT_SUPPORTED) if hbm is None else hbm})


def busy(answers, gpu, memory_share):
    put(answers, UtilizationRates={"gpu": gpu, "memory": memory_share})


def reasons(answers, mask):
    put(answers, CurrentClocksThrottleReasons=mask, CurrentClocksEventReasons=mask)


def clocks(answers, graphics, memory_clock, video, most=None):
    """Clocks in MHz now, and the greatest where they differ from the base's: (graphics, memory, video)."""
    put_at(answers, "ClockInfo", {0: graphics, 1: graphics, 2: memory_clock, 3: video})
    if most:
        put_at(answers, "MaxClockInfo", {0: most[0], 1: most[0], 2: most[1], 3: most[2]})
        put_at(answers, "ApplicationsClock", {0: most[0], 2: most[1]})
        put_at(answers, "DefaultApplicationsClock", {0: most[0], 2: most[1]})
        for key in [key for key in answers if "SupportedGraphicsClocks" in key]:
            del answers[key]
        put(answers, SupportedMemoryClocks=[most[1]])
        put_at(answers, "SupportedGraphicsClocks", {most[1]: [most[0], graphics // 2]})


def run(machine, answers, pid, used, user, *command, kind="Compute", instance=None, age=3600, parent=1,
        resident=512 * MIB, cpu=None, container=None):
    """Starts a process: in the device's lists, in what NVML calls it and in what the host knows of it."""
    for version in ("", "_v2", "_v3"):
        entry = {"pid": pid, "used": used}
        if instance and version:
            entry.update(gpu_instance=instance[0], compute_instance=instance[1])
        answers[f"nvmlDeviceGet{kind}RunningProcesses{version}"].append(entry)
    machine["system"][f"nvmlSystemGetProcessName({pid})"] = command[0]
    known = {"command": list(command), "user": user, "parent": parent, "resident": resident,
             "cpu_time": age * 900 if cpu is None else cpu, "age": age}
    if container:
        known["container"] = container
    machine["processes"][str(pid)] = known


def no_ecc(answers):
    refuse(answers, NOT_SUPPORTED, "EccMode", "TotalEccErrors", "MemoryErrorCounter", "SramEccErrorStatus",
           "RemappedRows", "RemappedRows_v2", "RowRemapperHistogram")
    put_at(answers, "InforomVersion", {1: error(NOT_SUPPORTED)})


def ecc_counters(answers, corrected, uncorrected):
    """Volta and older count errors by place; both kinds as (since load, since made) for L1, L2, memory, registers."""
    for kind, counts in ((0, corrected), (1, uncorrected)):
        for since in (0, 1):
            values = [count * (1 + 3 * since) for count in counts]
            for location, value in zip((0, 1, 2, 3), values):
                put_at(answers, "MemoryErrorCounter", {(kind, since, location): value})
            put_at(answers, "MemoryErrorCounter", {(kind, since, 4): error(NOT_SUPPORTED),
                                                   (kind, since, 6): error(NOT_SUPPORTED) if kind == 0 else 0,
                                                   (kind, since, 7): error(NOT_SUPPORTED)})
            put_at(answers, "TotalEccErrors", {(kind, since): sum(values)})
    refuse(answers, NOT_SUPPORTED, "SramEccErrorStatus", "RemappedRows", "RemappedRows_v2", "RowRemapperHistogram")


# The machines -------------------------------------------------------------------------------------------------------

def h200x8():
    """Derived from the idle H200: eight of them on bare metal behind NVSwitches, with users alice, bob and carol at
    work on seven and nobody on the eighth. Places on the bus, identities, load, memory, power, heat and processes are
    set; GPU 6 has had corrected memory errors and waits for a reset to remap a row; GPU 7 accounts for processes."""
    machine = base()
    machine["host"] = "hgx-01"
    gpus = many(machine, 8)
    buses = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
    # Load in per cent of chip and memory, watts, °C of chip and memory.
    loads = ((99, 62, 687.4, 66, 74), (98, 61, 671.93, 64, 72), (99, 63, 690.2, 69, 78), (97, 60, 668.05, 63, 71),
             (46, 18, 352.61, 48, 55), (12, 3, 178.3, 39, 44), (100, 1, 421.77, 52, 54), (0, 0, 76.812, 31, 35))
    modules = (2, 4, 1, 3, 8, 6, 7, 5)
    for index, answers in enumerate(gpus):
        chip, memory_share, watts, degrees, hbm = loads[index]
        machine["devices"][index]["slot_generation"] = 5
        identify(answers, f"h200x8/{index}", 1650000000101 + index)
        place(answers, f"00000000:{buses[index]}:00.0")
        busy(answers, chip, memory_share)
        power(answers, watts)
        heat(answers, degrees, hbm, 87 - degrees)
        reasons(answers, 4 if watts > 680 else 1 if chip == 0 else 0)
        put(answers, VirtualizationMode=0, ModuleId=modules[index])
        answers["nvmlDeviceGetPlatformInfo"]["module"] = modules[index]
        for form in ("GpuFabricInfo", "GpuFabricInfoV"):
            answers[full(form)]["state"] = 3
    for rank in range(4):
        run(machine, gpus[rank], 41200 + rank, 118_211 * MIB, "alice", "/home/alice/env/bin/python", "-u", "train.py",
            "--config", "70b.yaml", f"--local-rank={rank}", age=183_742, parent=41188, resident=48_213 * MIB)
    run(machine, gpus[4], 52011, 96_340 * MIB, "bob", "VLLM::EngineCore", age=91_230, resident=9_882 * MIB,
        container="3f9c1b7a20de")
    run(machine, gpus[5], 60233, 21_774 * MIB, "carol", "/opt/conda/bin/python", "-m", "ipykernel_launcher", "-f",
        "/home/carol/.local/share/jupyter/runtime/kernel-7.json", age=20_411)
    run(machine, gpus[5], 60871, 1_046 * MIB, "alice", "python3", "eval.py", "--split", "dev, test", age=12)
    run(machine, gpus[6], 61002, 812 * MIB, "bob", "./gpu_burn", "-d", "3600", age=640)
    run(machine, gpus[6], 61344, 5_120 * MIB, "carol", "ffmpeg", "-hwaccel", "cuda", "-i", "in.mp4", age=77)
    for answers in gpus:
        held = sum(process["used"] for process in answers["nvmlDeviceGetComputeRunningProcesses_v3"])
        memory(answers, 150754820096, 644939776, held + 9 * MIB if held else 0)
    put(gpus[4], ComputeMode=3)
    put(gpus[6], RemappedRows={"correctable": 1, "uncorrectable": 0, "pending": 1, "failure": 0},
        RemappedRows_v2={"correctable_active": 0, "correctable_inactive": 1, "uncorrectable_active": 0,
                         "uncorrectable_inactive": 0, "pending": 1, "failure": 0},
        RowRemapperHistogram={"max": 3071, "high": 1, "partial": 0, "low": 0, "none": 0})
    put_at(gpus[6], "MemoryErrorCounter", {(0, 0, 2): 5, (0, 1, 2): 17, (0, 1, 7): 3})
    put_at(gpus[6], "TotalEccErrors", {(0, 0): 5, (0, 1): 20})
    put_at(gpus[6], "FieldValues", {(230, 0): 1})
    put(gpus[7], AccountingMode=1, AccountingPids=[40110, 40127])
    put_at(gpus[7], "AccountingStats", {
        40110: {"gpu": 87, "memory": 31, "max_memory": 64_000 * MIB, "time": 5_411_206, "start": 1796300000000000,
                "running": 0},
        40127: {"gpu": 0, "memory": 0, "max_memory": 0, "time": 311, "start": 1796305411000000, "running": 0}})
    return machine


def two_h200():
    """Derived from the loaded H200: two of them in one virtual machine, one process on the first and two on the
    second, with the memory, heat and power that such a host was seen to have."""
    machine = base()
    gpus = many(machine, 2)
    for index, (answers, watts, degrees, module) in enumerate(zip(gpus, (122.7, 119.59), (37, 39), (2, 4))):
        identify(answers, f"two-h200/{index}", 1650000000001 + index)
        place(answers, f"00000000:00:{6 + index:02X}.0")
        power(answers, watts)
        heat(answers, degrees, 39, 87 - degrees)
        reasons(answers, 0)
        put(answers, ModuleId=module)
        answers["nvmlDeviceGetPlatformInfo"]["module"] = module
        for form in ("GpuFabricInfo", "GpuFabricInfoV"):
            answers[full(form)]["state"] = 3
    run(machine, gpus[0], 909, 818 * MIB, "root", "first", "800", age=20)
    run(machine, gpus[1], 910, 1018 * MIB, "root", "second", "1000", age=19)
    run(machine, gpus[1], 911, 1020 * MIB, "nobody", "third", "1000", age=19)
    memory(gpus[0], 150754820096, 644939776, 826 * MIB + MIB * 13 // 16)
    memory(gpus[1], 150754820096, 644939776, 2052 * MIB + MIB * 13 // 16)
    return machine


def h100_mig_gpu(machine):
    """The first device of a machine as an H100 80GB under driver 590 with MIG on, and its MIG devices."""
    driver(machine, "590.48.01", "13.1")
    device = machine["devices"][0]
    answers = device["answers"]
    identify(answers, "h100-mig", 1654922000000)
    place(answers, "00000000:00:09.0", 0x233010DE, 0x16C110DE)
    put(answers, Name="NVIDIA H100 80GB HBM3", VbiosVersion="96.00.A5.00.01", InforomImageVersion="G520.0200.00.05",
        ModuleId=7, MigMode={"current": 1, "pending": 1}, MaxMigDeviceCount=7,
        BAR1MemoryInfo={"total": 131072 * MIB, "free": 131071 * MIB, "used": MIB},
        RowRemapperHistogram={"max": 2560, "high": 0, "partial": 0, "low": 0, "none": 0})
    answers["nvmlDeviceGetPlatformInfo"]["module"] = 7
    for form in ("GpuFabricInfo", "GpuFabricInfoV"):
        answers[full(form)]["state"] = 3
    memory(answers, 81559 * MIB, 478 * MIB + MIB * 7 // 8, 11124 * MIB + MIB * 13 // 16)
    refuse(answers, NOT_SUPPORTED, "UtilizationRates", "EncoderUtilization", "DecoderUtilization", "JpgUtilization",
           "OfaUtilization", "RemappedRows", "RemappedRows_v2")
    # This driver no longer has them.
    refuse(answers, DEPRECATED, "PowerManagementMode", "ApplicationsClock", "DefaultApplicationsClock")
    power(answers, 433.78)
    put_at(answers, "FieldValues", {(186, 0): 447350})
    heat(answers, 53, 59, 24)
    reasons(answers, 0)
    clocks(answers, 1980, 2619, 1545)
    put_at(answers, "MaxClockInfo", {2: 2619})
    del answers["nvmlDeviceGetSupportedGraphicsClocks(2201)"]
    put(answers, SupportedMemoryClocks=[2619])
    answers["nvmlDeviceGetSupportedGraphicsClocks(2619)"] = answers.pop("nvmlDeviceGetSupportedGraphicsClocks(3201)")
    # Slot, GPU instance, profile, multiprocessors, slices, memory and BAR1 in MiB, memory in use. Slots 2, 4 and 5
    # are empty.
    shapes = ((0, 2, "3g.40gb", 60, 3, 40448, 24739, 11091.0), (1, 3, "2g.20gb", 32, 2, 20096, 12369, 16.5),
              (3, 9, "1g.10gb", 16, 1, 9984, 6184, 8.5), (6, 10, "1g.10gb", 16, 1, 9984, 6184, 8.5))
    device["mig"] = {}
    for slot, instance, profile, multiprocessors, slices, total, bar1, used in shapes:
        of = {key: error(NOT_SUPPORTED) for key in (
            "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetTemperature", "nvmlDeviceGetTemperatureV",
            "nvmlDeviceGetPowerUsage", "nvmlDeviceGetFanSpeed", "nvmlDeviceGetPerformanceState",
            "nvmlDeviceGetClockInfo(0)", "nvmlDeviceGetMigMode")}
        of.update({
            "nvmlDeviceGetName": f"NVIDIA H100 80GB HBM3 MIG {profile}",
            "nvmlDeviceGetUUID": f"MIG-{uuid.uuid5(uuid.NAMESPACE_DNS, f'h100-mig/{slot}')}",
            "nvmlDeviceGetBAR1MemoryInfo": {"total": bar1 * MIB, "free": bar1 * MIB, "used": 0},
            "nvmlDeviceGetGpuInstanceId": instance,
            "nvmlDeviceGetComputeInstanceId": 0,
            "nvmlDeviceGetAttributes_v2": {
                "multiprocessors": multiprocessors, "copy_engines": slices, "decoders": slices, "encoders": 0,
                "jpeg_engines": slices, "ofa_engines": 0, "gpu_slices": slices, "compute_slices": slices,
                "memory_mib": total},
            "nvmlDeviceGetMemoryErrorCounter(1,0,7)": 0,
            "nvmlDeviceGetMemoryInfo": None, "nvmlDeviceGetMemoryInfo_v2": None})
        memory(of, total * MIB, 0, int(used * MIB))
        for kind in ("Compute", "Graphics", "MPSCompute"):
            for version in ("", "_v2", "_v3"):
                of[f"nvmlDeviceGet{kind}RunningProcesses{version}"] = []
        device["mig"][str(slot)] = of
    for pid, used, user, command in ((21180, 2296, "dora", ("/home/dora/tools/memhog", "2000")),
                                     (21181, 1272, "dora", ("/home/dora/tools/memhog", "1000")),
                                     (21198, 7484, "erik", ("./gpu_burn", "-m", "80%", "600"))):
        run(machine, answers, pid, used * MIB, user, *command, instance=(2, 0), age=94)
        run(machine, device["mig"]["0"], pid, used * MIB, user, *command, instance=(2, 0), age=94)
    return answers


def h100_mig():
    """Derived from the idle H200: an H100 80GB under driver 590 with MIG on and four MIG devices, some slots between
    them empty, three processes on the first. Values are after what nvidia-smi printed on such a machine in public."""
    machine = base()
    h100_mig_gpu(machine)
    return machine


def no_permission():
    """Derived from h100-mig: the same seen by an ordinary user, whom NVML refuses memory and processes of the GPU as
    a whole; and beside it a GPU without MIG, of which it lists processes but tells no names, no accounting and no
    check of the infoROM."""
    machine = base()
    h100_mig_gpu(machine)
    split, whole = many(machine, 2)
    lists = [f"{kind}RunningProcesses{version}" for kind in ("Compute", "Graphics", "MPSCompute")
             for version in ("", "_v2", "_v3")]
    refuse(split, NO_PERMISSION, "MemoryInfo", "MemoryInfo_v2", "BAR1MemoryInfo", *lists)
    identify(whole, "no-permission/1", 1654922000001)
    place(whole, "00000000:00:0A.0")
    del machine["devices"][1]["mig"]
    put(whole, MigMode={"current": 0, "pending": 0}, MaxMigDeviceCount=7)
    busy(whole, 73, 20)
    for answers in (split, whole):
        refuse(answers, NO_PERMISSION, "AccountingMode", "AccountingPids", "nvmlDeviceValidateInforom",
               "AccountingBufferSize")
    for name in lists:
        whole[full(name)] = []
    run(machine, whole, 3107, 11114 * MIB, "frida", "hidden")
    for pid in machine["processes"]:
        machine["system"][f"nvmlSystemGetProcessName({pid})"] = error(NO_PERMISSION)
        # What /proc still shows of another user's process when it is mounted with hidepid=1.
        machine["processes"][pid] = {"command": [], "user": machine["processes"][pid]["user"]}
    return machine


def geforce():
    """Derived from the idle H200: a GeForce RTX 2080 SUPER in a desktop under driver 595, with a fan, a display and
    two video encoders at work, and without what GeForce boards lack: serial number, ECC, MIG, remapped rows, memory
    temperature. Values are after what nvidia-smi printed on such a machine in public."""
    machine = base()
    machine["host"] = "desk"
    driver(machine, "595.71.05", "13.2")
    machine["devices"][0]["slot_generation"] = 4
    answers = machine["devices"][0]["answers"]
    identify(answers, "geforce")
    place(answers, "00000000:0C:00.0", 0x1E8110DE, 0x40051458, sub_class=0)
    put(answers, Name="NVIDIA GeForce RTX 2080 SUPER", Architecture=6, VbiosVersion="90.04.7A.40.73",
        CudaComputeCapability={"major": 7, "minor": 5}, InforomImageVersion="G001.0000.02.04", FanSpeed=38,
        DisplayActive=1, PersistenceMode=0, AddressingMode=1, PerformanceState=2, VirtualizationMode=0, ModuleId=1,
        CurrPcieLinkGeneration=3, MaxPcieLinkGeneration=3, GpuMaxPcieLinkGeneration=3, EncoderUtilization=100,
        EncoderStats={"sessions": 2, "fps": 107, "latency": 99454},
        BAR1MemoryInfo={"total": 256 * MIB, "free": 215 * MIB, "used": 41 * MIB})
    answers["nvmlDeviceGetPlatformInfo"]["module"] = 1
    put_at(answers, "InforomVersion", {0: "1.1"})
    no_ecc(answers)
    refuse(answers, NOT_SUPPORTED, "MigMode", "C2cModeInfoV")
    refuse(answers, DEPRECATED, "PowerManagementMode", "ApplicationsClock", "DefaultApplicationsClock")
    memory(answers, 8192 * MIB, 407 * MIB + MIB * 7 // 16, 818 * MIB + MIB // 4)
    busy(answers, 8, 3)
    reasons(answers, 0)
    power(answers, 111.5, 105, 350, 250)
    heat(answers, 45)
    refuse_values(answers, NOT_SUPPORTED, 185, 193, 194, 195, 196)
    put_at(answers, "FieldValues", {(74, 0): 221310321000})
    clocks(answers, 2055, 7500, 1905, (2145, 7751, 1995))
    refuse(answers, DEPRECATED, "ApplicationsClock", "DefaultApplicationsClock")
    run(machine, answers, 1696, 176 * MIB, "gdm", "/usr/bin/gnome-shell", kind="Graphics", age=40_311)
    run(machine, answers, 4584, 3 * MIB, "gina", "/usr/bin/Xwayland", ":0", "-rootless", kind="Graphics", age=40_100)
    for pid, used in ((5268, 370), (5267, 230)):
        run(machine, answers, pid, used * MIB, "gina", "ffmpeg", "-hwaccel", "cuda", "-i", "in.mkv", "-c:v",
            "h264_nvenc", "out.mp4", age=31)
    return machine


def vgpu_guest():
    """Derived from the idle H200: a virtual GPU in a guest under driver 550. The guest sees name, memory, load and
    processes; the board's heat, power, fan, serial number, infoROM, PCIe link and clock settings stay with the
    host, and calls that came after driver 550 do not exist."""
    machine = base()
    machine["host"] = "guest"
    driver(machine, "550.127.05", "12.4")
    age(machine, "550.127.05")
    answers = machine["devices"][0]["answers"]
    identify(answers, "vgpu-guest")
    place(answers, "00000000:02:01.0", 0x20B510DE, 0x159010DE, sub_class=0)
    put(answers, Name="GRID A100D-20C", Architecture=7, CudaComputeCapability={"major": 8, "minor": 0},
        VbiosVersion="00.00.00.00.00", VirtualizationMode=2, PersistenceMode=1, DisplayMode=0,
        BAR1MemoryInfo={"total": 20480 * MIB, "free": 20479 * MIB, "used": MIB})
    refuse(answers, NOT_SUPPORTED, "Temperature", "PowerUsage", "PowerManagementMode", "PowerManagementLimit",
           "EnforcedPowerLimit", "PowerManagementDefaultLimit", "PowerManagementLimitConstraints", "FanSpeed",
           "SupportedMemoryClocks", "SupportedGraphicsClocks", "ApplicationsClock", "DefaultApplicationsClock",
           "InforomImageVersion", "InforomVersion", "nvmlDeviceValidateInforom", "CurrPcieLinkGeneration",
           "MaxPcieLinkGeneration", "GpuMaxPcieLinkGeneration", "CurrPcieLinkWidth", "MaxPcieLinkWidth",
           "SupportedClocksThrottleReasons", "SupportedClocksEventReasons", "CurrentClocksThrottleReasons",
           "CurrentClocksEventReasons", "RemappedRows", "RowRemapperHistogram", "SramEccErrorStatus", "ModuleId",
           "MemoryErrorCounter", "TotalEccErrors", "C2cModeInfoV", "GpuFabricInfo", "GpuFabricInfoV", "MigMode",
           "GspFirmwareMode", "FieldValues")
    memory(answers, 20480 * MIB, 1847 * MIB, 6021 * MIB)
    busy(answers, 37, 12)
    clocks(answers, 1410, 1512, 1275)
    put_at(answers, "MaxClockInfo", {0: 1410, 1: 1410, 2: 1512, 3: 1290})
    run(machine, answers, 2210, 6012 * MIB, "hana", "/usr/bin/python3", "serve.py", "--port", "8080", age=7_215)
    return machine


def gb10():
    """Derived from the idle H200: a GB10, whose GPU shares the memory of the host, so that both calls for memory are
    not supported while each process's share is known. No fan, no limits of power, a PCIe link of one lane."""
    machine = base()
    machine["host"] = "spark"
    driver(machine, "580.95.05", "13.0")
    age(machine, "580.95.05")
    answers = machine["devices"][0]["answers"]
    identify(answers, "gb10")
    place(answers, "0000000F:01:00.0", 0x2E1210DE, 0x000010DE, sub_class=0)
    put(answers, Name="NVIDIA GB10", Architecture=10, CudaComputeCapability={"major": 12, "minor": 1},
        VbiosVersion="9A.0B.25.00.00", VirtualizationMode=0, AddressingMode=2, DisplayActive=1,
        CurrPcieLinkGeneration=1, MaxPcieLinkGeneration=1, CurrPcieLinkWidth=1, MaxPcieLinkWidth=1, ModuleId=1,
        GpuMaxPcieLinkGeneration=5, PerformanceState=8)
    refuse(answers, NOT_SUPPORTED, "MemoryInfo", "MemoryInfo_v2", "BAR1MemoryInfo", "FanSpeed", "MigMode",
           "PowerManagementLimit", "EnforcedPowerLimit", "PowerManagementDefaultLimit", "PlatformInfo",
           "PowerManagementLimitConstraints", "InforomImageVersion", "InforomVersion", "nvmlDeviceValidateInforom")
    no_ecc(answers)
    busy(answers, 0, 0)
    power(answers, 11.17)
    heat(answers, 35)
    refuse_values(answers, NOT_SUPPORTED, 187, 188, 189, 190, 192, 193, 194, 195, 196)
    clocks(answers, 208, 8533, 600, (3003, 8533, 2000))
    put_at(answers, "ClockInfo", {2: error(NOT_SUPPORTED)})
    put_at(answers, "MaxClockInfo", {2: error(NOT_SUPPORTED)})
    refuse(answers, NOT_SUPPORTED, "SupportedMemoryClocks", "SupportedGraphicsClocks", "ApplicationsClock",
           "DefaultApplicationsClock")
    run(machine, answers, 2519, 18 * MIB, "root", "/usr/lib/xorg/Xorg", "vt2", kind="Graphics", age=86_000)
    run(machine, answers, 2744, 6 * MIB, "ines", "/usr/bin/gnome-shell", kind="Graphics", age=85_990)
    run(machine, answers, 90211, 61_440 * MIB, "ines", "/usr/bin/llama-server", "-m", "model.gguf", age=3_001)
    return machine


def lost_gpu():
    """Derived from the loaded H200: eight in a cloud's virtual machine, each in a PCI domain of its own, of which
    number 3 has fallen off the bus: its handle is refused with "GPU is lost". What an H200 does not support is left
    out."""
    machine = base("h200-loaded")
    machine["devices"][0]["answers"] = slim(machine["devices"][0]["answers"])
    gpus = many(machine, 8)
    for index, (answers, domain) in enumerate(zip(gpus, (1, 2, 3, 8, 9, 0xA, 0xB, 0xC))):
        identify(answers, f"lost-gpu/{index}", 1650000000201 + index)
        place(answers, f"{domain:08X}:00:00.0")
        heat(answers, 55 + index, 50 + index, 32 - index)
        for version in ("", "_v2", "_v3"):
            answers[f"nvmlDeviceGetComputeRunningProcesses{version}"] = []
        run(machine, answers, 7000 + index, 4746 * MIB, "jana", "python3", "train.py", f"--rank={index}")
    machine["devices"][3] = {"unreachable": LOST}
    del machine["processes"]["476"], machine["processes"]["7003"]
    del machine["system"]["nvmlSystemGetProcessName(476)"], machine["system"]["nvmlSystemGetProcessName(7003)"]
    return machine


def lost_gpu_late():
    """Derived from the idle H200: four, of which number 2 was lost after its handle was given out: the handle can be
    had and every call answers "GPU is lost". What an H200 does not support is left out of the other three."""
    machine = base()
    for index, answers in enumerate(many(machine, 4)):
        identify(answers, f"lost-gpu-late/{index}", 1650000000301 + index)
        place(answers, f"{('0000', '0000', '0001', '0001')[index].zfill(8)}:{('17', '65', '17', '65')[index]}:00.0")
        if index == 2:
            refuse_all(answers, LOST)
        else:
            machine["devices"][index]["answers"] = slim(answers)
    return machine


def unknown_error():
    """Derived from the idle H200: four in a cloud's virtual machine with PCI domains of more than sixteen bits, of
    which number 1 is refused with an unknown error. What an H200 does not support is left out."""
    machine = base()
    for index, answers in enumerate(many(machine, 4)):
        identify(answers, f"unknown-error/{index}", 1650000000401 + index)
        place(answers, f"{0x03F8CFDD + 0x1A2B3 * index:08X}:00:00.0")
        machine["devices"][index]["answers"] = slim(answers)
    machine["devices"][1] = {"unreachable": UNKNOWN}
    return machine


def v100(machine, name):
    """The first device of a machine as a V100 with 32 GB, which retires pages and counts errors by place."""
    answers = machine["devices"][0]["answers"]
    put(answers, Name=name, Architecture=5, CudaComputeCapability={"major": 7, "minor": 0},
        VbiosVersion="88.00.80.00.04", InforomImageVersion="G503.0203.00.05", VirtualizationMode=0,
        CurrPcieLinkGeneration=3, MaxPcieLinkGeneration=3, GpuMaxPcieLinkGeneration=3,
        BAR1MemoryInfo={"total": 32768 * MIB, "free": 32760 * MIB, "used": 8 * MIB})
    put_at(answers, "InforomVersion", {0: "1.1", 1: "5.0", 2: error(NOT_SUPPORTED)})
    ecc_counters(answers, (1, 0, 4, 0), (0, 0, 1, 0))
    pages = ((0, (0x3A4F000, 0x3A51000)), (1, (0x7FFE2000,)))
    for cause, addresses in pages:
        put_at(answers, "RetiredPages", {cause: [{"address": address} for address in addresses]})
        put_at(answers, "RetiredPages_v2", {cause: [{"address": address, "time": 1793887204 + 86400 * place}
                                                    for place, address in enumerate(addresses)]})
    put(answers, RetiredPagesPendingStatus=1)
    refuse(answers, NOT_SUPPORTED, "MigMode", "GpuFabricInfo", "GpuFabricInfoV", "C2cModeInfoV")
    memory(answers, 32510 * MIB, 0, 3 * MIB)
    busy(answers, 0, 0)
    power(answers, 43.6, 150, 300, 300)
    heat(answers, 36, 34)
    clocks(answers, 135, 877, 555, (1530, 877, 1372))
    # Values that only later drivers know.
    refuse_values(answers, NOT_SUPPORTED, *range(185, 289))
    return answers


def driver_450():
    """Derived from the idle H200: a V100 under driver 450.248.02, which has process lists of version 2 but not 3,
    memory of version 1 only, and none of the calls that came later. Memory pages are retired and one waits; errors
    are counted by place."""
    machine = base()
    driver(machine, "450.248.02", "11.0")
    answers = v100(machine, "Tesla V100-SXM2-32GB")
    identify(answers, "driver-450", 323218000001)
    place(answers, "00000000:3B:00.0", 0x1DB510DE, 0x124910DE)
    memory(answers, 32510 * MIB, 0, 9_412 * MIB)
    busy(answers, 64, 28)
    power(answers, 187.25)
    heat(answers, 58, 55)
    run(machine, answers, 12001, 6_391 * MIB, "kurt", "python", "train.py", age=55_000)
    run(machine, answers, 12377, 3_011 * MIB, "lena", "/opt/matlab/bin/glnxa64/MATLAB", age=812)
    age(machine, "450.248.02")
    return machine


def driver_390():
    """Derived from the idle H200: a P100 under driver 390.157, older still: process lists of version 1 only, no
    times of retired pages, no MIG mode, no architecture, and no word on CUDA."""
    machine = base()
    driver(machine, "390.157", "9.1")
    answers = v100(machine, "Tesla P100-PCIE-16GB")
    identify(answers, "driver-390", 322917000001)
    place(answers, "00000000:04:00.0", 0x15F810DE, 0x118F10DE)
    put(answers, CudaComputeCapability={"major": 6, "minor": 0}, VbiosVersion="86.00.41.00.01",
        InforomImageVersion="H400.0201.00.08")
    memory(answers, 16280 * MIB, 0, 1_121 * MIB)
    busy(answers, 100, 44)
    power(answers, 171.02, 125, 250, 250)
    heat(answers, 61)
    clocks(answers, 1328, 715, 1189, (1328, 715, 1189))
    run(machine, answers, 880, 555 * MIB, "mona", "./nbody", "-benchmark", age=9)
    run(machine, answers, 881, 556 * MIB, "mona", "./nbody", "-benchmark", age=8)
    age(machine, "390.157")
    return machine


def sixteen():
    """Derived from driver-450: sixteen V100s of one chassis under driver 470.256.02, each with its own load, so that
    order and width of indexes show. Calls that the driver or the board lacks are left out."""
    machine = base()
    driver(machine, "470.256.02", "11.4")
    v100(machine, "Tesla V100-SXM3-32GB")
    age(machine, "470.256.02")
    machine["devices"][0]["answers"] = slim(machine["devices"][0]["answers"])
    gpus = many(machine, 16)
    buses = ("34", "36", "39", "3B", "57", "59", "5C", "5E", "B7", "B9", "BC", "BE", "E0", "E2", "E5", "E7")
    for index, answers in enumerate(gpus):
        put(answers, UUID=f"GPU-{uuid.uuid5(uuid.NAMESPACE_DNS, f'sixteen/{index}')}", Serial=str(323218000100 + index))
        pci = answers["nvmlDeviceGetPciInfo_v3"]
        pci.update(bus=int(buses[index], 16), device=0, bus_id=f"00000000:{buses[index]}:00.0", device_id=0x1DB810DE,
                   subsystem_id=0x12AB10DE)
        busy(answers, index * 6, index * 2)
        put(answers, Temperature=30 + index, PowerUsage=43_600 + 12_345 * index,
            MemoryInfo={"total": 32510 * MIB, "free": (32510 - 1000 * index - 3) * MIB,
                        "used": (1000 * index + 3) * MIB})
    return machine


def no_devices():
    """Derived from the idle H200: its driver on a machine without a GPU."""
    machine = base()
    many(machine, 0)
    return machine


def driver_not_loaded():
    """Made by hand: the library is there, the kernel module is not loaded."""
    return refusing(DRIVER_NOT_LOADED)


def version_mismatch():
    """Made by hand: the library was updated and the kernel module was not reloaded since."""
    return refusing(VERSION_MISMATCH)


def refusing(code):
    machine = base()
    machine["devices"] = []
    machine["refused"] = code
    machine["system"] = {"nvmlSystemGetNVMLVersion": machine["system"]["nvmlSystemGetNVMLVersion"]}
    return machine


def empty_answers():
    """Made by hand: a device whose library knows no call but those that count devices and hand them out."""
    machine = base()
    machine["system"] = {"nvmlDeviceGetCount_v2": 1}
    machine["devices"] = [{"answers": {}}]
    return machine


def strange():
    """Derived from the idle H200: two devices that answer what no driver should. Text that is not UTF-8, or that
    would move a terminal's cursor; numbers of enumerations that do not exist yet; numbers as great as they can be;
    answers of the wrong type; processes with the greatest pid, with no pid, twice, without memory or with more than
    there is."""
    machine = base()
    most32, most64 = (1 << 32) - 1, (1 << 64) - 1
    garbage = [0xF8, 0x81, 0x84, 0x80]
    machine["host"] = "str\u00e4nge\u0007"
    machine["system"]["nvmlSystemGetDriverVersion"] = garbage
    machine["system"]["nvmlSystemGetNVMLVersion"] = "garbage"
    machine["system"]["nvmlSystemGetCudaDriverVersion_v2"] = -1
    first, second = many(machine, 2)

    put(first, Name=garbage, UUID=garbage, Serial=garbage, VbiosVersion=garbage, InforomImageVersion=garbage,
        Architecture=13, ComputeMode=9, PerformanceState=32, VirtualizationMode=9, AddressingMode=77,
        PersistenceMode=2, DisplayActive=most32, CudaComputeCapability={"major": -1, "minor": 2147483647},
        MigMode={"current": 2, "pending": most32}, EccMode={"current": 7, "pending": 8}, AccountingMode=5,
        GspFirmwareMode={"enabled": 3, "default": 4}, C2cModeInfoV=9, MaxMigDeviceCount=64,
        UtilizationRates={"gpu": most32, "memory": most32}, EncoderUtilization=most32, FanSpeed=most32,
        PowerUsage=most32, PowerManagementLimit=most32, EnforcedPowerLimit=0, CurrPcieLinkGeneration=99,
        CurrPcieLinkWidth=most32, Temperature=most32 - 39, TemperatureV=-40, MarginTemperature=-2147483648,
        MemoryInfo_v2={"total": most64, "reserved": most64, "free": most64 - 1, "used": most64},
        MemoryInfo={"total": most64, "free": 0, "used": most64},
        BAR1MemoryInfo={"total": 0, "free": most64, "used": most64},
        EncoderStats={"sessions": most32, "fps": most32, "latency": most32},
        DriverModel_v2={"current": 5, "pending": 6}, GpuOperationMode={"current": 9, "pending": 10},
        DramEncryptionMode={"current": 2, "pending": 3}, RetiredPagesPendingStatus=3,
        RemappedRows={"correctable": most32, "uncorrectable": most32, "pending": 2, "failure": 2})
    reasons(first, 0x8000000000000201)
    put(first, SupportedClocksThrottleReasons=most64, SupportedClocksEventReasons=most64)
    for form in ("PciInfoExt", "PciInfo_v3"):
        first[full(form)].update(domain=most32, bus=most32, device=most32, device_id=most32, bus_id=garbage)
    for form in ("GpuFabricInfo", "GpuFabricInfoV"):
        first[full(form)].update(state=9, status=31, clique=most32, cluster=list(range(240, 256)))
    first["nvmlDeviceGetGpuFabricInfoV"].update(health_mask=most32, health_summary=255)
    first["nvmlDeviceGetPlatformInfo"].update(chassis_serial=garbage, peer_type=9, slot=255, fabric_guid=[255] * 16)
    put_at(first, "FieldValues", {(82, 0): -1, (74, 0): most64, (76, 0): -5, (185, 0): 1.5, (186, 0): 1e300,
                                  (187, 0): most64, (193, 0): -9223372036854775808, (230, 0): 42})
    put_at(first, "TotalEccErrors", {(1, 0): most64})
    put_at(first, "MemoryErrorCounter", {(0, 0, 0): most64})
    put_at(first, "ClockInfo", {0: most32, 1: None, 2: "fast", 3: -1})
    put_at(first, "RetiredPages_v2", {0: [{"address": most64, "time": most64}], 1: [{"address": 0}]})
    put(first, AccountingPids=[most32, 0])
    put_at(first, "AccountingStats", {most32: {"gpu": most32, "memory": most32, "max_memory": most64, "time": most64,
                                               "start": most64, "running": 2}})

    # A name that writes to the clipboard of whoever prints it, and one as long as NVML allows.
    put(second, Name="GPU\u001b]52;c;QQ==\u0007\u009b2J, \"quoted\"\r\n<x>&\u202e", UUID="", Serial="0" * 29,
        VbiosVersion="\u0000", InforomImageVersion=" padded ", UtilizationRates={"gpu": 101, "memory": 4294967294}, PowerUsage=[],
        Index=most32, MemoryInfo_v2=error(25), MemoryInfo={"total": 0, "free": 0, "used": 0},
        FanSpeed=error(77), Temperature=error(4294967295), TemperatureV=error(25), PerformanceState=error(0))
    for form in ("PciInfoExt", "PciInfo_v3"):
        second[full(form)]["bus_id"] = "not a bus id"

    run(machine, first, most32, None, "nobody", "\u001b[2Jname", "two\nlines", age=most64, cpu=most64, resident=most64)
    run(machine, first, 0, 0, "", "", age=0)
    for _ in range(2):
        run(machine, first, 1, most64 - 1, "r\u00f6\u00f6t", "twice", kind="Graphics")
    run(machine, first, 4194303, 1, "", "gone")
    del machine["processes"]["4194303"], machine["system"]["nvmlSystemGetProcessName(4194303)"]
    machine["system"]["nvmlSystemGetProcessName(0)"] = error(UNKNOWN)
    machine["system"]["nvmlSystemGetProcessName(1)"] = garbage
    machine["processes"]["1"] = {"command": [garbage, "", "a b"], "container": "\u001b[31mred"}
    return machine


# Calls that nvidia-smi and rsmi make only where a newer form is not understood.
OLDER = [full(name) for name in (
    "GpuFabricInfo", "ComputeRunningProcesses", "ComputeRunningProcesses_v2", "GraphicsRunningProcesses",
    "GraphicsRunningProcesses_v2", "MPSComputeRunningProcesses", "MPSComputeRunningProcesses_v2")]


def probe(count):
    """A machine to probe nvidia-smi with: so many copies of the idle H200. What only `-q` asks for is left out, and so
    are older forms of calls, to keep the file small."""
    machine = base()
    answers = machine["devices"][0]["answers"]
    values = (94, 95, 193, 194, 195, 196, 228, 251, 264, 272, 273, 281, 282, 283, 284)
    unasked = {f"nvmlDeviceGetFieldValues({value},0)" for value in values} | {"nvmlDeviceGetMaxClockInfo(3)"}
    lists = {full(name) for name in ("SupportedMemoryClocks", "SupportedGraphicsClocks", "AccountingPids")}
    for key in [key for key in answers if key in unasked or key in OLDER or function(key) in lists]:
        del answers[key]
    return machine, many(machine, count)


def probe_values():
    """Made by hand from the idle H200, to see what nvidia-smi makes of numbers: of 32 devices each has its own number
    as the value of every enumeration, and counts, masks, powers and places that show how they are written and
    rounded. Some of its values are such as no driver sends."""
    count = 32
    machine, gpus = probe(count)
    powers = (79495, 5, 15, 25, 35, 45, 79505, 79515, 4, 6, 994, 995, 996, 1005, 1015, 1025, 999994, 999995, 700000,
              100005, 200015, 300025, 12345, 16777217, 33554435, 99999999, 65535, 655355, 6553555, 1, 0, 10)
    masks = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0x1FF, 0x155, 0xAA, 3, 0x8000000000000201, 0, 0x1FF, 0x1FF,
             1, 0xFF, 0x7F, 0x3F, 0x1F, 0xF, 7, 0x1FF, 0x1FF, 0x1FF, 0x1FF, 0xFFFF)
    health = (0x2AA, 0x155, 0x2A9, 0x6AA, 0xFAA, 0xAAA, 0x1AAA, 0x9AAAA, 0x3AAAA, 0x5AAAA, 0xFFFF, 0xFFFFFFFF, 0, 0x256,
              0x166, 0x5A5, 0x2A6, 0x29A)
    for i, answers in enumerate(gpus):
        of = lambda *values: values[i % len(values)]
        after = (i + 1) % count
        put(answers, UUID=f"GPU-{i:08x}-0000-4000-8000-000000000000", Serial=f"{1700000000000 + i:013}")
        domain = of(0, 1, 0xFFFF, 0x10000, 0x3F8CFDD)
        pci = {"domain": domain, "bus": i, "device": i,
               "device_id": of(0, 5, 0x50, 0x500, 0x5000, 0x50000, 0x233510DE),
               "subsystem_id": of(5, 0, 0x10DE, 0x110DE, 0x50, 0xABCDEF01),
               "bus_id": f"{domain:08X}:{i:02X}:{i:02X}.0"}
        put(answers, PciInfo_v3=pci, PciInfoExt={**pci, "base_class": i, "sub_class": i * 9})
        for name in ("ComputeMode", "AddressingMode", "PerformanceState", "DisplayMode", "DisplayActive",
                     "PersistenceMode", "AccountingMode", "C2cModeInfoV", "PowerManagementMode",
                     "RetiredPagesPendingStatus", "Architecture", "ModuleId", "GpuMaxPcieLinkGeneration",
                     "CurrPcieLinkWidth", "Temperature"):
            put(answers, **{name: i})
        for name in ("GpuOperationMode", "DriverModel_v2", "MigMode", "EccMode", "DramEncryptionMode"):
            put(answers, **{name: {"current": i, "pending": after}})
        milliwatts = lambda ahead: powers[(i + ahead) % count]
        put(answers, GspFirmwareMode={"enabled": i, "default": after}, VirtualizationMode=0, FanSpeed=i * 5,
            MarginTemperature=i - 16, TemperatureV=i - 10, PowerUsage=milliwatts(0), PowerManagementLimit=milliwatts(1),
            EnforcedPowerLimit=milliwatts(2), PowerManagementDefaultLimit=milliwatts(3),
            PowerManagementLimitConstraints={"min": milliwatts(4), "max": milliwatts(5)},
            EncoderStats={"sessions": i, "fps": i + 1, "latency": i + 2},
            CudaComputeCapability={"major": i, "minor": i % 13}, Hostname_v1=f"host-{i}" if i % 2 else "",
            PlatformInfo={"fabric_guid": [(i * 16 + j + 1) % 256 for j in range(16)],
                          "chassis_serial": f"CH-{i}" if i % 3 else "", "slot": of(0, 1, 7, 255, 254, 128),
                          "tray": of(0, 255, 3), "host": of(1, 255, 9), "peer_type": i,
                          "module": of(i, 255, 100 + i)})
        fabric = {"cluster": [(j * 17 + i) % 256 for j in range(16)], "status": i, "clique": i + 1,
                  "state": 3 if i > 5 else i}
        put(answers, GpuFabricInfoV={
            **fabric, "health_mask": 1 << i if i < 14 else health[i - 14], "health_summary": i % 6})
        put(answers, RemappedRows={"correctable": 7000 + i, "uncorrectable": 8000 + i, "pending": (i + 2) % 4,
                                   "failure": (i + 3) % 4},
            RemappedRows_v2={"correctable_active": 1 + i, "correctable_inactive": 100 + i,
                             "uncorrectable_active": 10000 + i, "uncorrectable_inactive": 1000000 + i,
                             "pending": i % 4, "failure": after % 4},
            SramEccErrorStatus={"aggregate_parity": i, "aggregate_secded": i + 1, "aggregate_corrected": i + 2,
                                "volatile_parity": i + 3, "volatile_secded": i + 4, "volatile_corrected": i + 5,
                                "l2": i + 6, "sm": i + 7, "pcie": i + 8, "mcu": i + 9, "other": i + 10,
                                "threshold_exceeded": i % 4},
            SupportedClocksThrottleReasons=masks[i], SupportedClocksEventReasons=masks[i])
        reasons(answers, masks[(i * 7 + 3) % count])
        # The infoROM is right on every ninth; on the others the check ends with an error.
        put(answers, nvmlDeviceValidateInforom=error(of(14, 3, 4, 6, 13, 15, 17, UNKNOWN)) if i % 9 else None,
            MemoryInfo_v2={"total": 100 * MIB + of(0, 1, MIB // 2, MIB - 1), "reserved": of(0, 1, MIB, MIB + 1),
                           "free": 50 * MIB + i, "used": of(0, 1, MIB - 1, MIB, MIB + 1)},
            MemoryInfo={"total": 100 * MIB, "free": 50 * MIB, "used": 50 * MIB},
            ConfComputeProtectedMemoryUsage={"total": MIB + 1, "free": 1, "used": MIB},
            BAR1MemoryInfo={"total": 256 * MIB + of(0, 1, MIB // 2), "free": 128 * MIB,
                            "used": of(0, 1, MIB - 1, MIB + MIB // 2)})
        put_at(answers, "VgpuCapabilities", {place: (i + place) % 5 for place in (0, 1, 2, 9, 10, 11)})
        put_at(answers, "RetiredPages", {0: [{"address": j} for j in range(i % 4)],
                                         1: [{"address": j} for j in range(i % 3)]})
        put_at(answers, "RetiredPages_v2", {
            0: [{"address": 0x1000 + j, "time": 1700000000 + j} for j in range(i % 4)],
            1: [{"address": j, "time": 1600000000 + j} for j in range(i % 3)]})
        put_at(answers, "FieldValues", {(230, 0): i, (82, 0): i, (74, 0): i * 1000 + 999, (76, 0): 999, (269, 0): 1000,
                                        (270, 0): 1999, (271, 0): 10**15 + i})
        for place, value in enumerate((185, 186, 187, 188, 189, 190, 192)):
            put_at(answers, "FieldValues", {(value, 0): milliwatts(place), (value, 1): milliwatts(2 * place)})
        # Power smoothing: real numbers, but for multiples, which have 16 bits, and for what is or is not so.
        for value in range(275, 289):
            short = value in (279, 282, 283, 286, 287)
            number = (0, 1, i, 1000 + i, (12345 if short else 123456) + i)[(value + i) % 5]
            number = number if short or value == 280 else float(number)
            put_at(answers, "FieldValues", {(value, 5 if 281 <= value <= 284 else 0): number})
    return machine


def probe_errors():
    """Made by hand from the idle H200, to see what nvidia-smi prints for an error in each field: of 31 devices each
    answers every call with its own number plus one as the return code (the last with 999), but for index, name and
    place on the bus, and every second one for the newer call that tells this place. Code 7 tells how many retired pages
    there are."""
    codes = [*range(1, 31), UNKNOWN]
    machine, gpus = probe(len(codes))
    for i, (code, answers) in enumerate(zip(codes, gpus)):
        answers.update({name: None for name in OLDER if code == NOT_UNDERSTOOD})
        refuse_all(answers, code)
        if code == INSUFFICIENT_SIZE:
            # To whoever asks how many pages there are, this is an answer: as many as were told, which is none.
            for name in ("RetiredPages", "RetiredPages_v2"):
                put_at(answers, name, {0: [], 1: []})
        pci = {"domain": 0, "bus": i + 1, "device": 0, "device_id": 0x233510DE, "subsystem_id": 0x18BF10DE,
               "bus_id": f"00000000:{i + 1:02X}:00.0"}
        put(answers, Index=i, Name=f"Code {code}", PciInfo_v3=pci)
        if i % 2:
            put(answers, PciInfoExt={**pci, "base_class": 3, "sub_class": 2})
    return machine


def demo():
    """Derived from the idle H200: one of the GPUs that the demo machine is made of, before it starts to move."""
    machine = base()
    machine["host"] = "demo"
    answers = machine["devices"][0]["answers"]
    machine["devices"][0]["slot_generation"] = 5
    put(answers, VirtualizationMode=0)
    for form in ("GpuFabricInfo", "GpuFabricInfoV"):
        answers[full(form)]["state"] = 3
    return machine


MACHINES = (h200x8, two_h200, h100_mig, no_permission, geforce, vgpu_guest, gb10, lost_gpu, lost_gpu_late,
            unknown_error, driver_450, driver_390, sixteen, no_devices, driver_not_loaded, version_mismatch,
            empty_answers, strange, probe_values, probe_errors)


# Writing ------------------------------------------------------------------------------------------------------------

def ordered(mapping):
    """By number where keys are numbers, so that slot 10 comes after slot 9."""
    number = lambda key: (0, int(key), "") if key.isdigit() else (1, 0, key)
    return {key: mapping[key] for key in sorted(mapping, key=number)}


def lay(value, depth, open_levels):
    """JSON with one line to each entry as far as `open_levels` goes, so that a difference shows as one line."""
    if open_levels in (None, "close") or not value or not isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":") if open_levels == "close" else None)
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {lay(entry, depth + 1, levels(open_levels, key))}"
                 for key, entry in value.items()]
        left, right = "{", "}"
    else:
        lines = [lay(entry, depth + 1, open_levels) for entry in value]
        left, right = "[", "]"
    return left + "\n" + ",\n".join(inner + line for line in lines) + "\n" + "  " * depth + right


def levels(now, key):
    return {"machine": {"system": "flat", "processes": "flat", "devices": "device"},
            "probe": {"system": "flat", "devices": "close device"},
            "close device": {"answers": "close"},
            "device": {"answers": "flat", "mig": "slots"},
            "slots": {key: "flat"}}.get(now, {}).get(key)


def text(make):
    machine = make()
    machine["about"] = " ".join(inspect.getdoc(make).split())
    machine["system"] = ordered(machine["system"])
    machine["processes"] = ordered(machine["processes"])
    for device in machine["devices"]:
        if "answers" in device:
            device["answers"] = ordered(device["answers"])
        if "mig" in device:
            device["mig"] = {slot: ordered(answers) for slot, answers in ordered(device["mig"]).items()}
    order = ("rsmi_recording", "about", "taken", "host", "refused", "system", "devices", "processes")
    # A line for each answer, or for each device where there are very many.
    closed = make in (probe_values, probe_errors)
    return lay({key: machine[key] for key in order if key in machine}, 0, "probe" if closed else "machine") + "\n"


def main():
    files = {HERE / f"{make.__name__.replace('_', '-')}.json": make for make in MACHINES}
    files[DEMO] = demo
    stale = []
    for path, make in files.items():
        made = text(make)
        if sys.argv[1:] != ["--check"]:
            path.write_text(made)
        elif not path.exists() or path.read_text() != made:
            stale.append(path.name)
    if stale:
        sys.exit(f"not as derive.py makes them; run it again: {', '.join(stale)}")


if __name__ == "__main__":
    main()
