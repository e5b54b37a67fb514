"""Attempts to get out of a sandbox, each harmless if it succeeds. A program of its own, with the standard library alone.

    python probes.py '{…facts…}'        prints {"group: what is tried": true or false, …}

True: it got through. A system call that must not be made for real is made with arguments that cannot work: to be told so
(EINVAL, EFAULT, …) instead of being refused counts as having got through. The facts say what is there to be reached: files,
a process, sockets, shared memory and keys of whoever runs the suite (see `surroundings`). What the same program gets done
without a sandbox is the control: an attempt that never succeeds proves nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

REFUSED = (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
    errno.EROFS,
    errno.EAFNOSUPPORT,
    errno.EPROTONOSUPPORT,
    errno.ESOCKTNOSUPPORT,
)
SYSCTLS = """
    kernel/core_pattern kernel/modprobe kernel/hostname kernel/domainname kernel/sysrq kernel/panic kernel/randomize_va_space
    kernel/pid_max kernel/keys/maxkeys kernel/kptr_restrict kernel/dmesg_restrict vm/overcommit_memory vm/swappiness
    fs/file-max fs/suid_dumpable fs/protected_symlinks net/ipv4/ip_forward user/max_user_namespaces
""".split()
FAMILIES = {
    "AF_NETLINK uevents": (16, 2, 15), "AF_NETLINK audit": (16, 3, 9), "AF_NETLINK generic": (16, 3, 16),
    "AF_NETLINK netfilter": (16, 3, 12), "AF_NETLINK sock_diag": (16, 3, 4), "AF_PACKET": (17, 3, 0x0300),
    "AF_VSOCK": (40, 1, 0), "AF_ALG": (38, 5, 0), "AF_KEY": (15, 3, 2), "AF_XDP": (44, 3, 0), "AF_TIPC": (30, 1, 0),
    "AF_BLUETOOTH": (31, 3, 1), "AF_CAN": (29, 3, 1), "AF_RDS": (21, 5, 0), "AF_SMC": (43, 1, 0), "AF_KCM": (41, 2, 0),
    "AF_QIPCRTR": (42, 2, 0), "AF_PPPOX": (24, 1, 0), "AF_X25": (9, 5, 0), "AF_NFC": (39, 5, 0), "AF_LLC": (26, 2, 0),
    "AF_MCTP": (45, 2, 0), "raw IP": (2, 3, 1), "raw IPv6": (10, 3, 58),
}  # fmt: skip
NAMESPACES = {
    "user": 0x10000000, "mount": 0x20000, "network": 0x40000000, "process": 0x20000000,
    "shared memory": 0x8000000, "host name": 0x4000000, "cgroup": 0x2000000,
}  # fmt: skip
DEVICES = ("mem", "kmsg", "fuse", "kvm", "vsock", "loop-control", "net/tun", "vhost-net", "vhost-vsock", "snapshot", "autofs")
KERNEL_FILES = ("kcore", "kmsg", "timer_list", "slabinfo", "vmallocinfo", "kpagecount", "kpageflags")
NOTHING_SUCH = 0x7FFFFFFF

Attempt = Callable[[], Any]

libc = ctypes.CDLL(None, use_errno=True)


def attempts(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    yield from (("files: " + name, attempt) for name, attempt in files(facts))
    yield from (("/proc: " + name, attempt) for name, attempt in proc(facts))
    yield from ((f"sysctl: write {name}", partial(write_back, Path("/proc/sys", name))) for name in SYSCTLS)
    yield from (("/sys: " + name, attempt) for name, attempt in sys_files())
    yield from (("processes: " + name, attempt) for name, attempt in processes(facts))
    yield from (("sockets: " + name, attempt) for name, attempt in sockets(facts))
    yield from (("keys: " + name, attempt) for name, attempt in keys(facts))
    yield from (("mounts: " + name, attempt) for name, attempt in mounts(facts))
    yield from (("namespaces: " + name, attempt) for name, attempt in namespaces(facts))
    yield from (("shared memory: " + name, attempt) for name, attempt in shared_memory(facts))
    yield from (("kernel: " + name, attempt) for name, attempt in kernel(facts))
    yield from (("privileges: " + name, attempt) for name, attempt in privileges(facts))


def files(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    outside = Path(facts["outside"])
    secret, spare, new = outside / "secret", outside / "spare", outside / f"new-{os.getpid()}"
    yield "read a file that is not visible", secret.read_text
    yield "list a folder that is not visible", partial(names_in, outside)
    yield "read it through a link", partial(through_link, secret)
    yield "read it through a hard link", partial(through_link, secret, hard=True)
    yield "read it through ..", partial(read, "../" * 20 + str(secret))
    yield "read it with openat2", partial(open_at_2, secret)
    yield "read it through /proc/self/root", partial(read, f"/proc/self/root{secret}")
    yield "read it through process 1", partial(read, f"/proc/1/root{secret}")
    yield "read it by its handle", partial(by_handle, facts, secret)
    yield "make a handle", partial(make_handle, facts)
    yield "make a file", partial(make_and_remove, new)
    yield "make a folder", partial(make_folder, new)
    yield "append to a file", partial(opened, spare, os.O_WRONLY | os.O_APPEND)
    yield "truncate a file", partial(os.truncate, spare, 5)
    yield "change a file's mode", partial(os.chmod, spare, 0o666)
    yield "change a file's times", partial(os.utime, spare)
    yield "change a file's attributes", partial(os.setxattr, spare, "user.probe", b"x")
    yield "rename a file", partial(rename_and_back, spare)
    yield "remove a file", partial(remove_and_make, spare)
    yield "list the home folder", lambda: names_in(facts["home"]) >= set(facts["at_home"])
    yield "read /etc/shadow", Path("/etc/shadow").read_text
    yield "read private files below /etc", private_files
    yield "write /etc/passwd", partial(opened, "/etc/passwd", os.O_WRONLY | os.O_APPEND)
    for folder in ("/etc", "/usr/bin", "/", "/dev", "/var/tmp", "/run"):
        yield f"make a file in {folder}", partial(make_and_remove, Path(folder, f"touchstone-probe-{os.getpid()}"))
    yield "make a block device", partial(make_device, stat.S_IFBLK, os.makedev(7, 0))
    yield "make /dev/mem", partial(make_device, stat.S_IFCHR, os.makedev(1, 1))
    yield "open a disk", open_disk
    for name in DEVICES:
        yield f"open /dev/{name}", partial(opened, f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK)
    yield "use an inherited descriptor", inherited


def proc(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    victim = Path("/proc", str(facts["victim"]))
    yield "see other processes", victim.stat
    yield "read another's command line", partial(cmdline_of, victim, facts["victim_word"])
    for name in ("environ", "maps", "auxv", "io", "syscall"):
        yield f"read another's {name}", partial(some_of, victim / name, facts["victim_word"] if name == "environ" else "")
    yield "open another's memory", partial(opened, victim / "mem", os.O_RDWR)
    yield "list another's descriptors", partial(seen_at, victim / "fd", facts["victim"])
    yield "enter another's root", partial(names_in, victim / "root")
    yield "enter another's folder", partial(names_in, victim / "cwd")
    yield "write another's oom_score_adj", partial(write_back, victim / "oom_score_adj")
    yield "read the parent's environment", partial(some_of, Path(f"/proc/{os.getppid()}/environ"))
    yield "open the parent's memory", partial(opened, f"/proc/{os.getppid()}/mem", os.O_RDWR)
    yield "see abstract sockets of others", lambda: facts["abstract"] in Path("/proc/net/unix").read_text()
    yield "see keys of others", lambda: facts["key"] in Path("/proc/keys").read_text()
    yield (
        "read kernel addresses",
        lambda: any(line.split()[0].strip("0") for line in Path("/proc/kallsyms").read_text()[:4000].splitlines()),
    )
    for name in KERNEL_FILES:
        yield f"open {name}", partial(opened_with_content, Path("/proc", name))
    yield "open sysrq-trigger for writing", partial(opened, "/proc/sysrq-trigger", os.O_WRONLY)
    yield "write anything below /proc/sys", any_sysctl


def sys_files() -> Iterator[tuple[str, Attempt]]:
    yield "list /sys/kernel/debug", partial(names_in, "/sys/kernel/debug")
    yield "list /sys/kernel/security", partial(names_in, "/sys/kernel/security")
    yield "list /sys/firmware", partial(names_in, "/sys/firmware")
    yield "list /sys/module", partial(names_in, "/sys/module")
    yield "list /sys/block", partial(names_in, "/sys/block")
    yield "write /sys/kernel/uevent_helper", partial(opened, "/sys/kernel/uevent_helper", os.O_WRONLY)
    yield "write /sys/kernel/profiling", partial(opened, "/sys/kernel/profiling", os.O_WRONLY)
    yield "write /sys/power/state", partial(opened, "/sys/power/state", os.O_WRONLY)
    yield "write huge pages' settings", partial(opened, "/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY)
    yield "make a cgroup", make_cgroup


def processes(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    victim, call = facts["victim"], partial(system_call, facts)
    yield "signal another", partial(os.kill, victim, 0)
    yield "signal the parent", partial(os.kill, os.getppid(), 0)
    yield "signal another's group", partial(os.killpg, facts["victim_group"], 0)
    yield (
        "queue a signal to another",
        lambda: call("rt_sigqueueinfo", victim, 0, ctypes.create_string_buffer(struct.pack("iii", 0, 0, -1), 128)),
    )
    yield "signal another's thread", lambda: call("tgkill", victim, victim, 0)
    yield "get another's pidfd", lambda: close(os.pidfd_open(victim))
    yield "signal another by pidfd", partial(signal_by_pidfd, victim)
    yield "take another's descriptor", partial(take_descriptor, facts, victim)
    yield "ptrace another", partial(trace, facts, victim)
    yield "ptrace the parent", partial(trace, facts, os.getppid())
    yield "read another's memory", partial(memory_of, facts, "process_vm_readv", victim)
    yield "write another's memory", partial(memory_of, facts, "process_vm_writev", victim)
    yield "advise on another's memory", partial(advise, facts, victim)
    yield "compare with another", lambda: call("kcmp", os.getpid(), victim, 0, 0, 0)
    yield "change another's priority", lambda: os.setpriority(os.PRIO_PROCESS, victim, os.getpriority(os.PRIO_PROCESS, victim))
    yield "change another's processors", lambda: os.sched_setaffinity(victim, os.sched_getaffinity(victim))
    yield "change another's limits", lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE)
    yield "measure another", lambda: perf(facts, victim)
    yield "move another's pages", lambda: call("move_pages", victim, 0, 0, 0, 0, 0)
    yield "start a program", start_program
    yield "make a process", make_process
    yield "make 1,500 processes", partial(many_processes, 1500)


def sockets(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    yield "TCP to a service here", lambda: socket.create_connection(("127.0.0.1", facts["port"]), 2).close()
    yield "UDP to a service here", partial(send_datagram, facts["port"])
    yield "listen on a port", listen
    yield "a Unix socket of a service", partial(connect_unix, facts["unix"])
    yield "an abstract socket of a service", partial(connect_unix, "\0" + facts["abstract"])
    yield "a datagram to an abstract socket", partial(send_unix, "\0" + facts["abstract_datagram"])
    yield "take a socket out of /proc", lambda: opened(f"/proc/{facts['victim']}/fd/{facts['victim_descriptor']}", os.O_RDWR)
    for name, (family, kind, protocol) in FAMILIES.items():
        yield name, partial(make_socket, family, kind, protocol)


def keys(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    call = partial(system_call, facts)
    name = facts["key"].encode()
    session, search = ctypes.c_int(-3), 10
    yield "add a key", lambda: call("add_key", b"user", b"touchstone-own", b"x", 1, ctypes.c_int(-2))
    yield "search the session for a key", lambda: call("keyctl", search, session, b"user", name, 0)
    yield "request a key", lambda: call("request_key", b"user", name, None, 0)
    yield "see the session's keyring", lambda: call("keyctl", 0, session, 0)
    yield "read a key by its number", lambda: call("keyctl", 11, facts["key_number"], ctypes.create_string_buffer(8), 8)


def mounts(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    call = partial(reaching, facts)
    yield "mount memory", partial(in_child, partial(mount_memory, facts))
    yield "mount a folder again", lambda: call("mount", b"/nowhere", b"/nowhere", None, 4096, None)
    yield "mount a disk", lambda: call("mount", b"/dev/nowhere", b"/nowhere", b"ext4", 0, None)
    yield "make the root writable", lambda: call("mount", None, b"/nowhere", None, 32 | 4096, None)
    yield "unmount", lambda: call("umount2", b"/nowhere", 0)
    yield "change the root", lambda: call("pivot_root", b"/nowhere", b"/nowhere")
    yield "chroot", lambda: call("chroot", b"/")
    yield "open a tree of mounts", lambda: close(reaching_call(428, -100, b"/", 1))
    yield "move a mount", lambda: reaching_call(429, -1, b"", -1, b"", NOTHING_SUCH)
    yield "open a file system", lambda: close(reaching_call(430, b"tmpfs", 0))
    yield "configure a file system", lambda: reaching_call(431, -1, 0, 0, 0, 0)
    yield "change a mount's attributes", lambda: reaching_call(442, -1, b"", 0, 0, 0)
    yield "swap", lambda: call("swapon", b"/nowhere", 0)
    yield "set quotas", lambda: call("quotactl", NOTHING_SUCH, b"/nowhere", 0, 0)


def namespaces(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    call = partial(system_call, facts)
    for name, flag in NAMESPACES.items():
        yield f"a new one: {name}", partial(in_child, partial(call, "unshare", flag))
    for name in ("mnt", "pid", "net", "ipc"):
        yield f"enter another's: {name}", partial(in_child, partial(enter, facts, f"/proc/{facts['victim']}/ns/{name}"))
    yield "clone into new ones", partial(clone, facts, 0x10000000 | 0x20000)
    yield "clone3", lambda: reaching_call(435, 0, 0)


def shared_memory(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    call = partial(system_call, facts)
    yield "attach to a segment", lambda: attach(facts)
    yield "look at a segment", lambda: call("shmctl", facts["shm"], 2, ctypes.create_string_buffer(256))
    yield "look at a semaphore", lambda: call("semctl", facts["sem"], 0, 12, 0)
    yield "look into a queue", lambda: call("msgctl", facts["msg"], 2, ctypes.create_string_buffer(256))
    yield "leave a segment behind", lambda: call("shmget", facts["own_key"], 4096, 0o1666)
    yield "leave a queue behind", lambda: call("msgget", facts["own_key"], 0o1666)
    yield "leave a semaphore behind", lambda: call("semget", facts["own_key"], 1, 0o1666)
    yield "open a POSIX queue", lambda: close(call("mq_open", facts["queue"].encode(), os.O_RDWR, 0, 0))
    yield "open a file in /dev/shm", partial(opened, f"/dev/shm/{facts['shm_file']}", os.O_RDWR)


def kernel(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    call = partial(reaching, facts)
    yield "bpf", lambda: call("bpf", NOTHING_SUCH, ctypes.create_string_buffer(128), 128)
    yield "bpf map", lambda: close(call("bpf", 0, ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0), 64), 64))
    yield "userfaultfd", lambda: close(call("userfaultfd", 0))
    yield "io_uring", lambda: reaching_call(425, 0, 0)
    yield "kexec", lambda: call("kexec_load", 0, NOTHING_SUCH, 0, 0)
    yield "load a module", lambda: call("init_module", 0, 0, b"")
    yield "load a module's file", lambda: call("finit_module", -1, b"", 0)
    yield "unload a module", lambda: call("delete_module", b"touchstone_no_such_module", 0)
    yield "reboot", lambda: call("reboot", 0, 0, 0, 0)
    yield "account for processes", lambda: call("acct", b"/nowhere/at/all")
    yield "set the clock", lambda: call("clock_settime", 0, 0)
    yield "set the time of day", lambda: call("settimeofday", 0, ctypes.c_char_p(struct.pack("ii", NOTHING_SUCH, 0)))
    yield "set the host's name", lambda: set_host_name(facts)
    yield "set the domain's name", lambda: call("setdomainname", 0, NOTHING_SUCH)
    yield "read the kernel's log", lambda: call("syslog", 10, 0, 0)
    yield "use ports of devices", lambda: call("ioperm", 0, 1, 0)
    yield "watch all files", lambda: close(call("fanotify_init", 0, 0))
    yield "secret memory", lambda: close(reaching_call(447, 0))
    yield "change segments", lambda: call("modify_ldt", 0, ctypes.create_string_buffer(16), 16)
    yield "a system call of tomorrow", lambda: reaching_call(fresh_call(), -1, -1, -1, -1, -1)


def privileges(facts: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    yield "be root", lambda: os.getresuid().count(0) or os.setuid(0)
    yield "be root's group", lambda: os.getresgid().count(0) or os.setgid(0)
    yield "change one's groups", lambda: os.setgroups(os.getgroups())
    yield "have a power of root's", partial(status_field, "CapEff", lambda value: int(value, 16) & ~allowed_powers(facts))
    yield "gain from a setuid program", partial(status_field, "NoNewPrivs", lambda value: value == "0")
    yield "run without a filter", partial(status_field, "Seccomp", lambda value: value != "2")
    yield "leave a core file", lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] != 0
    yield "be more important", partial(in_child, lambda: os.nice(-5))
    yield "run in real time", partial(in_child, lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
    yield "type into a terminal", type_into_terminal


# How they are made.


def through_link(secret: Path, hard: bool = False) -> str:
    link = Path(os.environ.get("TMPDIR") or "/tmp", f"touchstone-link-{os.getpid()}-{hard}")
    try:
        if hard:
            os.link(secret, link)
        else:
            link.symlink_to(secret)
        return link.read_text()
    finally:
        with contextlib.suppress(OSError):
            link.unlink()


def read(path: str) -> bytes:
    return Path(path).read_bytes()


def names_in(folder: str | Path) -> set[str]:
    return {path.name for path in Path(folder).iterdir()}


def opened(path: str | Path, flags: int) -> bool:
    os.close(os.open(path, flags))
    return True


def opened_with_content(path: Path) -> bool:
    """Not /dev/null in its place."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.fstat(descriptor).st_rdev != os.makedev(1, 3)
    finally:
        os.close(descriptor)


def open_at_2(secret: Path) -> bool:
    return close(checked_call(437, -100, bytes(secret), ctypes.c_char_p(struct.pack("QQQ", 0, 0, 0)), 24))


def by_handle(facts: dict[str, Any], secret: Path) -> bool:
    """With any folder of the same file system in hand; where that is not the case, the handle cannot be found."""
    mount = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        handle = ctypes.create_string_buffer(bytes.fromhex(facts["handle"]))
        return close(system_call(facts, "open_by_handle_at", mount, handle, os.O_RDONLY))
    finally:
        os.close(mount)


def make_handle(facts: dict[str, Any]) -> Any:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    return system_call(facts, "name_to_handle_at", -100, b"/usr", handle, ctypes.create_string_buffer(8), 0)


def make_and_remove(path: Path) -> bool:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    path.unlink()
    return True


def make_folder(path: Path) -> bool:
    path.mkdir()
    path.rmdir()
    return True


def rename_and_back(path: Path) -> bool:
    path.rename(path.with_name("renamed"))
    path.with_name("renamed").rename(path)
    return True


def remove_and_make(path: Path) -> bool:
    path.unlink()
    path.write_text("spare")
    path.chmod(0o666)
    return True


def make_device(kind: int, device: int) -> bool:
    path = Path(os.environ.get("TMPDIR") or "/tmp", f"touchstone-device-{os.getpid()}")
    os.mknod(path, kind | 0o600, device)
    try:
        return opened(path, os.O_RDONLY | os.O_NONBLOCK)
    finally:
        path.unlink()


def open_disk() -> bool:
    names = [line.split()[3] for line in Path("/proc/partitions").read_text().splitlines()[2:]]
    return any(succeeds(partial(opened, f"/dev/{name}", os.O_RDONLY)) for name in names)


def private_files() -> bool:
    """One that is not for everybody, and that was readable all the same."""
    for folder, _, names in os.walk("/etc"):
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode) and not mode & stat.S_IROTH and path.stat().st_uid != os.getuid():
                    path.read_bytes()
                    return True
                if stat.S_ISREG(mode) and not mode & stat.S_IROTH and os.getuid() == 0:
                    path.read_bytes()
                    return True
    return False


def inherited() -> bool:
    """A file that is open though nobody gave it: neither a pipe or socket to whoever runs us, nor one of Python's."""
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(descriptor).st_mode) or stat.S_ISDIR(os.fstat(descriptor).st_mode):
                return True
    return False


def write_back(path: Path) -> bool:
    text = path.read_bytes()
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)
    return True


def any_sysctl() -> bool:
    for folder, _, names in os.walk("/proc/sys"):
        for path in (Path(folder, name) for name in names):
            if succeeds(partial(opened, path, os.O_WRONLY)):
                return True
    return False


def some_of(path: Path, word: str = "") -> bool:
    with path.open("rb") as file:
        text = file.read(65536)
    return word.encode() in text if word else bool(text)


def cmdline_of(victim: Path, word: str) -> bool:
    return word.encode() in (victim / "cmdline").read_bytes()


def seen_at(path: Path, victim: int) -> bool:
    return bool(names_in(path)) and victim != os.getpid()


def make_cgroup() -> bool:
    for base in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids"):
        path = Path(base, f"touchstone-probe-{os.getpid()}")
        if Path(base, "cgroup.procs").exists() and succeeds(path.mkdir):
            path.rmdir()
            return True
    return False


def signal_by_pidfd(victim: int) -> bool:
    descriptor = os.pidfd_open(victim)
    try:
        signal.pidfd_send_signal(descriptor, 0)
    finally:
        os.close(descriptor)
    return True


def take_descriptor(facts: dict[str, Any], victim: int) -> bool:
    descriptor = os.pidfd_open(victim)
    try:
        return close(checked_call(438, descriptor, facts["victim_descriptor"], 0))
    finally:
        os.close(descriptor)


def trace(facts: dict[str, Any], process: int) -> bool:
    system_call(facts, "ptrace", 0x4206, process, 0, 0)  # PTRACE_SEIZE does not stop it
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGCONT)
    return True


def memory_of(facts: dict[str, Any], name: str, victim: int) -> bool:
    buffer = ctypes.create_string_buffer(8)
    near = struct.pack("PN", ctypes.addressof(buffer), 0)
    return system_call(facts, name, victim, ctypes.c_char_p(near), 1, ctypes.c_char_p(near), 1, 0) >= 0


def advise(facts: dict[str, Any], victim: int) -> bool:
    descriptor = os.pidfd_open(victim)
    try:
        return checked_call(440, descriptor, 0, 0, 20, 0) is not None
    finally:
        os.close(descriptor)


def perf(facts: dict[str, Any], victim: int) -> bool:
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 1), 128)
    return close(system_call(facts, "perf_event_open", attributes, victim, -1, -1, 0))


def start_program() -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1]) == 0


def make_process() -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0)
    with contextlib.suppress(ChildProcessError):  # a worker leaves its children to the kernel
        os.waitpid(child, 0)
    return True


def many_processes(count: int) -> bool:
    started: list[int] = []
    try:
        for _ in range(count):
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            started.append(child)
    finally:
        for child in started:
            os.kill(child, signal.SIGKILL)
        for child in started:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)
    return True


def send_datagram(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("127.0.0.1", port))
        one.send(b"x")
        one.settimeout(2)
        return one.recv(10) == b"x"


def listen() -> bool:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
    return True


def connect_unix(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(2)
        one.connect(address)
    return True


def send_unix(address: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", address)
    return True


def make_socket(family: int, kind: int, protocol: int) -> bool:
    descriptor = libc.socket(family, kind, protocol)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "socket")
    return close(descriptor)


def mount_memory(facts: dict[str, Any]) -> bool:
    folder = Path(os.environ.get("TMPDIR") or "/tmp", f"touchstone-mount-{os.getpid()}")
    folder.mkdir()
    try:
        system_call(facts, "mount", b"none", bytes(folder), b"tmpfs", 0, None)
        system_call(facts, "umount2", bytes(folder), 0)
    finally:
        folder.rmdir()
    return True


def enter(facts: dict[str, Any], path: str) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    return system_call(facts, "setns", descriptor, 0) == 0


def clone(facts: dict[str, Any], flags: int) -> bool:
    child = system_call(facts, "clone", flags | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    return True


def attach(facts: dict[str, Any]) -> bool:
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(facts["shm"], None, 0o10000)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(address, 5) == b"shm-x"


def set_host_name(facts: dict[str, Any]) -> bool:
    name = socket.gethostname().encode()
    return system_call(facts, "sethostname", name, len(name)) == 0


def fresh_call() -> int:
    return 469 if os.uname().machine in ("x86_64", "aarch64") else 0  # file_setattr, of Linux 6.17


def allowed_powers(facts: dict[str, Any]) -> int:
    return facts.get("powers", 0)


def status_field(name: str, test: Callable[[str], Any]) -> bool:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return bool(test(fields[name].strip()))


def type_into_terminal() -> bool:
    """Into one's own: if that is allowed, it is for any that is at hand."""
    leader, follower = os.openpty()
    try:
        if libc.ioctl(follower, 0x5412, b"x") < 0:
            raise OSError(ctypes.get_errno(), "TIOCSTI")
        return True
    finally:
        os.close(leader)
        os.close(follower)


def in_child(attempt: Attempt) -> bool:
    """What would change this process is done in a child where one can be made."""
    try:
        child = os.fork()
    except OSError:
        return bool(attempt() or True)
    if child == 0:
        os._exit(0 if succeeds(attempt) else 1)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    except ChildProcessError:
        return bool(attempt() or True)  # nobody tells how it ended


def system_call(facts: dict[str, Any], name: str, *arguments: Any) -> int:
    """By name. It must work."""
    return checked_call(facts["numbers"][name], *arguments)


def reaching(facts: dict[str, Any], name: str, *arguments: Any) -> int:
    """By name. To be told that the arguments make no sense is enough."""
    return reaching_call(facts["numbers"][name], *arguments)


def checked_call(number: int | None, *arguments: Any) -> int:
    result = reaching_call(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reaching_call(number: int | None, *arguments: Any) -> int:
    if number is None:
        raise OSError(errno.ENOSYS, "not on this machine")
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0 and ctypes.get_errno() in REFUSED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def close(descriptor: int) -> bool:
    if descriptor >= 0:
        os.close(descriptor)
    return True


def succeeds(attempt: Attempt) -> bool:
    try:
        result = attempt()
    except (OSError, ValueError):
        return False
    return result is None or result is not False


def run(facts: dict[str, Any]) -> dict[str, bool]:
    return {name: succeeds(attempt) for name, attempt in attempts(facts)}


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))), flush=True)
