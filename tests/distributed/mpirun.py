"""Programs on several ranks of this machine, which has fewer cores."""
import os
import subprocess

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,vader", OMPI_MCA_btl_vader_single_copy_mechanism="none")


def start(mpirun, ranks, *command, **options):
    return subprocess.Popen([mpirun, "-n", str(ranks), *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=ENVIRONMENT, **options)


def run(mpirun, ranks, *command, timeout=240, **options):
    return subprocess.run([mpirun, "-n", str(ranks), *map(str, command)], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=timeout, **options)
