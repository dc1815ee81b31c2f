"""Processes that are forked after the package was used."""

import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import heddle

FOLDER = str(pathlib.Path(heddle.__file__).parent.parent)


def run_python(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system does not fork")
@pytest.mark.parametrize("before", ["pass", "heddle.sum(x, target='parallel:3')", "heddle.transform('a + 1', x)", "heddle.matmul(x[:4], x[:4])"],
                         ids=["unused", "threads", "transform", "matmul"])
def test_a_pool_computes(before):
    assert run_python(
        "import multiprocessing, numpy, heddle\n"
        "x = numpy.arange(300_000.0)\n"
        f"{before}\n"
        "def work(n):\n"
        "    where = ['serial', 'parallel:2', 'parallel:3', 'auto'][n % 4]\n"
        "    y = numpy.flip(x).copy()\n"
        "    return (float(heddle.sum(x + n, target=where)), bool((heddle.sort(y, target=where) == x).all()),\n"
        "            float(heddle.cumsum(x, target=where)[-1]), float(heddle.matmul(x[:4], x[:4])), float(heddle.transform('a + 1', x)[-1]))\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: have = pool.map(work, range(8))\n"
        "print(have == [(float((x + n).sum()), True, float(x.sum()), 14.0, 300_000.0) for n in range(8)])\n") == "True\n"


def test_the_parent_goes_on():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "for _ in range(5):\n"
        "    assert heddle.sum(x, target='parallel:3') == 300_000\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(0 if heddle.sum(x, target='parallel:3') == 300_000 else 1)\n"
        "    assert heddle.sum(x, target='parallel:3') == 300_000\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\n"
        "print('done')\n") == "done\n"


def test_a_child_forks_again():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "heddle.sum(x, target='parallel:2')\n"
        "def forked(depth):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        right = heddle.sum(x, target='parallel:2') == 300_000 and (depth == 0 or forked(depth - 1) == 0)\n"
        "        os._exit(0 if right else 1)\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
        "print(forked(2))\n") == "0\n"


def test_a_child_ends_in_order():
    # As multiprocessing's do not: through the handlers of the interpreter's end.
    assert run_python(
        "import os, sys, numpy, heddle\n"
        "x = numpy.ones(300_000)\n"
        "heddle.sum(x, target='parallel:3')\n"
        "if os.fork() == 0:\n"
        "    print(float(heddle.sum(x, target='parallel:3')))\n"
        "    sys.exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]))\n") == "300000.0\n0\n"


def test_arrays_of_the_parent_are_the_childs():
    assert run_python(
        "import os, numpy, heddle\n"
        "x = heddle.asarray(numpy.arange(1000.0)).on('serial')\n"
        "with heddle.target('parallel:2'):\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(0 if float(heddle.sum(x)) == 499_500 and heddle._core.current_target().threads == 2 else 1)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n") == "0\n"


# Scripts fork by child_of(), which gives the child's exit status, or -14 if the child hangs.
CHILD = """
import os, signal, sys, threading, time
import numpy, heddle, heddle.fft, heddle.random
def child_of(f):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        try:
            os._exit(0 if f() else 1)
        except BaseException as wrong:
            print(repr(wrong), file=sys.stderr)
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def test_a_fork_while_threads_are_inside_calls():
    assert run_python(CHILD + """
x = numpy.random.default_rng(0).normal(size=50_000)
right, m, counted = numpy.sort(x), x[:2500].reshape(50, 50), numpy.histogram(x, 10)
doubled = heddle.ElementwiseKernel("T x", "T y", "y = 2 * x")
calls = {
    "sort": lambda: (heddle.sort(x, target="parallel:3") == right).all(),
    "cumsum": lambda: numpy.allclose(heddle.cumsum(x, target="parallel:2"), numpy.cumsum(x)),
    "sum": lambda: heddle.sum(numpy.ones(300_000), target="parallel:2") == 300_000,
    "matmul": lambda: numpy.allclose(heddle.matmul(m, m), m @ m),
    "fft": lambda: numpy.allclose(heddle.fft.fft(x[:1009]), numpy.fft.fft(x[:1009])),
    "histogram": lambda: (heddle.histogram(x, 10)[0] == counted[0]).all(),
    "random": lambda: heddle.random.default_rng(1).random(1000).shape == (1000,),
    "transform": lambda: (heddle.transform("a + 1", x) == x + 1).all(),
    "other transform": lambda: (heddle.transform("a * 2", x) == x * 2).all(),
    "kernel": lambda: (doubled(x) == x * 2).all(),
    "kernel that is loaded": lambda: (heddle.ElementwiseKernel("T x", "T y", "y = 4 * x")(x) == x * 4).all(),
}
over = False
def churn(call):
    while not over: call()
threads = [threading.Thread(target=churn, args=(call,)) for call in calls.values()]
for thread in threads: thread.start()
def works():
    wrong = [name for name, call in calls.items() if not call()]
    if wrong: print("wrong:", *wrong, file=sys.stderr)
    return not wrong
print([child_of(works) for _ in range(40)])
over = True
for thread in threads: thread.join()
""") == f"{[0] * 40}\n"


def test_a_fork_waits_for_the_loader(tmp_path):
    """A library that is loaded during a fork would leave a lock of the system's loader held in the child."""
    assert run_python(CHILD + f"""
x = numpy.arange(4.0)
kernel = heddle.ElementwiseKernel("T x", "T y", "y = 2 * x", preamble='''
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void hold_up() {{
  close(open("{tmp_path}/started", O_CREAT | O_WRONLY, 0600));
  while (access("{tmp_path}/forks", F_OK) != 0) usleep(1000);
  usleep(300000);
  close(open("{tmp_path}/is_loaded", O_CREAT | O_WRONLY, 0600));
}}
''')
made = []
thread = threading.Thread(target=lambda: made.append(kernel(x)))
thread.start()
while not os.path.exists({str(tmp_path / "started")!r}): time.sleep(0.001)
os.register_at_fork(before=lambda: open({str(tmp_path / "forks")!r}, "w").close())
print(child_of(lambda: os.path.exists({str(tmp_path / "is_loaded")!r}) and (heddle.transform("a + 1", x) == x + 1).all()))
thread.join()
print((made[0] == x * 2).all())
""") == "0\nTrue\n"


def test_a_function_that_runs_while_its_library_is_loaded(tmp_path):
    """It may fork. If it waits for a fork of another thread, that fork ends nonetheless, and the child is told."""
    assert run_python(CHILD + f"""
x = numpy.arange(4.0)
doubled = heddle.ElementwiseKernel("T x", "T y", "y = 2 * x", preamble='''
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((constructor)) static void forks() {{
  const int child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 7) abort();
}}
''')
print((doubled(x) == x * 2).all())

tripled = heddle.ElementwiseKernel("T x", "T y", "y = 3 * x", preamble='''
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void waits() {{
  close(open("{tmp_path}/started", O_CREAT | O_WRONLY, 0600));
  while (access("{tmp_path}/has_forked", F_OK) != 0) usleep(1000);
}}
''')
made = []
thread = threading.Thread(target=lambda: made.append(tripled(x)))
thread.start()
while not os.path.exists({str(tmp_path / "started")!r}): time.sleep(0.001)
def is_refused():
    open({str(tmp_path / "has_forked")!r}, "w").close()
    try:
        heddle.transform("a + 1", x)
    except heddle.Error as said:
        return "was loading a library at the fork" in str(said) and heddle.sum(x) == 6
print(child_of(is_refused))
thread.join()
print((made[0] == x * 3).all())
""") == "True\n0\nTrue\n"


def test_calls_import_nothing():
    """A child of a fork waits forever for a module that another thread is importing."""
    assert run_python("""
import sys, numpy, heddle, heddle.fft, heddle.random
x = numpy.arange(24.0).reshape(4, 6)
heddle.transform, heddle.ElementwiseKernel, heddle.vectorize, heddle.stencil, heddle.ReductionKernel
before = set(sys.modules)
for name in ("sum", "prod", "min", "max", "mean", "median", "var", "std", "any", "all", "argmin", "argmax", "minmax", "cumsum", "cumprod", "sort", "argsort", "unique",
             "inclusive_scan", "exclusive_scan"):
    getattr(heddle, name)(x)
heddle.cumulative_sum(x[0])
heddle.histogram(x, 5)
heddle.searchsorted(x[0], x)
heddle.top_k(x, 2)
heddle.quantile(x, 0.5)
heddle.matmul(x, x.T)
heddle.partition(x[0], x[0] > 2)
heddle.copy_if(x[0], x[0] > 2)
heddle.transform("a + 1", x)
heddle.fft.fft(x)
heddle.random.default_rng(1).random(5)
print(sorted(set(sys.modules) - before))
""") == "[]\n"


def test_a_fork_while_a_thread_compiles(tmp_path):
    """The child compiles for itself what it needs."""
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\ntouch {tmp_path}/started\nwhile [ ! -e {tmp_path}/may_go_on ]; do sleep 0.05; done\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    assert run_python(CHILD + f"""
os.environ["CXX"], os.environ["XDG_CACHE_HOME"] = {str(compiler)!r}, {str(tmp_path / "cache")!r}
x = numpy.arange(10.0)
thread = threading.Thread(target=lambda: heddle.transform("a * 3 + 0.5", x))
thread.start()
while not os.path.exists({str(tmp_path / "started")!r}): time.sleep(0.01)
def works():
    open({str(tmp_path / "may_go_on")!r}, "w").close()
    return (heddle.transform("a * 3 + 0.5", x) == x * 3 + 0.5).all()
print(child_of(works))
thread.join()
""") == "0\n"


def test_a_fork_waits_for_openblas(tmp_path):
    """In place of OpenBLAS a library that knows whether it is forked during a call, as its locks would then stay held in the child."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler of C")
    source = tmp_path / "blas.c"
    source.write_text("""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int inside;
static void in_child(void) { if (inside) _exit(3); }
__attribute__((constructor)) static void begin(void) { pthread_atfork(0, 0, in_child); }
void cblas_sgemm(void) {}
void cblas_cgemm(void) {}
void cblas_zgemm(void) {}
/* Of rows, not transposed. */
void cblas_dgemm(int order, int of_a, int of_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double beta,
                 double* c, int ldc) {
  ++inside;
  close(open(STARTED, O_CREAT | O_WRONLY, 0600));
  while (access(FORKS, F_OK) != 0) usleep(1000);
  usleep(300000);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[(long)i * lda + l] * b[(long)l * ldb + j];
      c[(long)i * ldc + j] = sum;
    }
  --inside;
}
int openblas_get_num_threads(void) { return 1; }
void openblas_set_num_threads(int n) { (void)n; }
""")
    subprocess.run([compiler, "-shared", "-fPIC", "-pthread", "-o", tmp_path / "libopenblas.so.0", f'-DSTARTED="{tmp_path}/started"',
                    f'-DFORKS="{tmp_path}/forks"', source], check=True)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD + f"""
a = numpy.arange(90_000.0).reshape(300, 300) % 7  # large enough for a call to release the GIL
made = []
thread = threading.Thread(target=lambda: made.append(heddle.matmul(a, a)))
thread.start()
while not os.path.exists({str(tmp_path / "started")!r}): time.sleep(0.001)
os.register_at_fork(before=lambda: open({str(tmp_path / "forks")!r}, "w").close())
print(child_of(lambda: (heddle.matmul(a, a) == a @ a).all() and (heddle.matmul(a, a, target="parallel:2") == a @ a).all()))
thread.join()
print((made[0] == a @ a).all())
"""], env=os.environ | {"PYTHONPATH": FOLDER, "LD_LIBRARY_PATH": f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}"}, capture_output=True, text=True,
                          timeout=120)
    assert (done.returncode, done.stdout) == (0, "0\nTrue\n"), done.stderr


def test_objects_that_threads_of_the_parent_use():
    """A generator goes on in the child. A simulation may be half changed, which the child is told."""
    assert run_python(CHILD + """
generator = heddle.random.default_rng(7)
inside, may_end = threading.Event(), threading.Event()
def hold():
    with generator._lock: inside.set(), may_end.wait()
thread = threading.Thread(target=hold)
thread.start()
inside.wait()
print(child_of(lambda: (generator.random(5) == heddle.random.default_rng(7).random(5)).all()))
may_end.set()
thread.join()

problem = heddle.Laplace.sine((33, 33))
inside.clear(), may_end.clear()
thread = threading.Thread(target=lambda: problem._problem.solve(1e-6, 100, 1, lambda *_: (inside.set(), may_end.wait())))
thread.start()
inside.wait()
def refuses():
    try:
        return problem.iterations < 0
    except heddle.Error as said:
        return "the parent process" in str(said)
print(child_of(refuses))
print(child_of(lambda: heddle.Laplace.sine((33, 33)).solve() < 1))
may_end.set()
thread.join()
print(problem.iterations > 0)
""") == "0\n0\n0\nTrue\n"


def test_a_fork_in_a_handler_inside_a_call():
    """The child ends, also if it returns into the call, whose other threads it does not have."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD + """
x = numpy.random.default_rng(0).normal(size=200_000)
children = []
def forks(*_):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        if len(children) % 2 == 0: os._exit(0)
    else:
        children.append(pid)
signal.signal(signal.SIGUSR1, forks)
over = False
def sends():
    while not over:
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.05)
thread = threading.Thread(target=sends)
thread.start()
parent = os.getpid()
while len(children) < 10:
    heddle.sort(x, target="parallel:2")
    if os.getpid() != parent: os._exit(0)
over = True
thread.join()
print({os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children} <= {0, 1})
"""], env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert {line.split(":")[0] for line in done.stderr.splitlines()} <= {"heddle"}
