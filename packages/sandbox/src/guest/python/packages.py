"""Packages of the configuration, which are in a read-only folder. Some need a preparation before their first import."""
import os
import sys

#: The folder of the packages. Sandboxes without packages do not have it.
FOLDER = "/toolwright/packages"
#: The list of fonts that matplotlib would make again for each program, which takes seconds.
FONTS = f"{FOLDER}/toolwright-matplotlib"
#: A file with the version of Python that the packages were built for.
BUILT_FOR = f"{FOLDER}/toolwright-python"
SETTINGS = "/tmp/matplotlib"
PRELOADED = ("numpy", "pandas")
#: The packages above import these, and a process with threads cannot be forked.
STARTS_THREADS = {"pyarrow", "numexpr", "numba", "polars"}
#: Frames of an import that are not those of the importing module.
IMPORT_FILES = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>", __file__)


def install_packages():
    """Makes the packages importable, after the standard library."""
    if os.path.isdir(FOLDER):
        sys.path.append(FOLDER)
        sys.meta_path.insert(0, FirstImport(version_problem()))


def version_problem():
    """Returns why this Python cannot import the packages; None if it can. The image of a container may have another one."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        with open(BUILT_FOR) as file:
            built = file.read()
    except OSError:
        return None
    if built == own:
        return None
    return f"The packages were built for Python {built}, and this sandbox has {own}. Build its image with Python {built}."


def imported_by_package():
    """Returns whether a file of a package imports a module now: it looks for another package, not for a module of the program."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in IMPORT_FILES:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(FOLDER)


class FirstImport:
    """Prepares a package before the program imports it. Finds nothing itself."""

    def __init__(self, problem):
        self.problem = problem

    def find_spec(self, name, _path=None, _target=None):
        if self.problem is not None and any(os.path.exists(f"{FOLDER}/{name}{end}") for end in ("", ".py")):
            raise ImportError(self.problem, name=name)
        if name == "matplotlib":
            prepare_matplotlib()
        return None


def prepare_matplotlib():
    os.environ.setdefault("MPLCONFIGDIR", SETTINGS)
    # There is no screen.
    os.environ.setdefault("MPLBACKEND", f"module://{__package__}.results.pyplot")
    if os.path.isdir(FONTS) and not os.path.exists(SETTINGS):
        os.mkdir(SETTINGS)
        for name in os.listdir(FONTS):
            os.symlink(f"{FONTS}/{name}", f"{SETTINGS}/{name}")


def preload():
    """Imports the packages that most programs use, in the process that forks the programs. Call it before the program's own imports."""
    names = set(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else set()
    if names & STARTS_THREADS:
        return
    sys.path.append(FOLDER)
    try:
        for name in PRELOADED:
            if name in names:
                __import__(name)
    except (ImportError, MemoryError):
        # The program that imports it gets the error.
        pass
    finally:
        sys.path.remove(FOLDER)


def reseed(seed):
    """Seeds the generator of a preloaded numpy, whose first seed all programs would share."""
    random = sys.modules.get("numpy.random")
    if random is not None:
        random.seed(seed % 2**32)
