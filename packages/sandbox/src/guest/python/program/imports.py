"""`import` of modules from the host: servers, skills, and modules of the workspace."""
import importlib
import sys
import types
from importlib.machinery import ModuleSpec

from ..faults import UNKNOWN_MODULES, ToolError
from ..packages import imported_by_package, install_packages
from .watching import WATCH_LINE, watched_module

ROOTS = ("servers", "skills")


class BridgeFinder:
    """Finds `servers.<server>`, `skills.<skill>` and modules of the workspace, after the standard library."""

    def __init__(self, bridge):
        self._bridge = bridge

    def find_spec(self, name, _path=None, _target=None):
        parts = name.split(".")
        # Private modules of the standard library, which not every system has. Programs do not import them.
        if parts[0].startswith("_") or imported_by_package():
            return None
        base = "/" + "/".join(parts if parts[0] in ROOTS else ["workspace", *parts])
        if parts[0] == "servers" and len(parts) == 2:
            return self._spec(name, f"{base}.py", self._ask(f"{base}.py"))
        # Both requests at once, for one round trip to the host.
        package, module = self._ask(f"{base}/__init__.py"), self._ask(f"{base}.py")
        return self._spec(name, f"{base}/__init__.py", package) or self._spec(name, f"{base}.py", module)

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        state = module.__spec__.loader_state
        source = state["source"]
        tree = watched_module(source) if source.startswith(WATCH_LINE) else source
        exec(compile(tree, state["path"], "exec", dont_inherit=True), module.__dict__)

    def get_source(self, name):
        module = sys.modules.get(name)
        return module.__spec__.loader_state["source"] if module else None

    def _ask(self, path):
        return self._bridge.request("import", "module", path)

    def _spec(self, name, path, answer):
        """Returns the spec of a module; None for an unknown one, so that later finders are asked."""
        try:
            source = self._bridge.wait(answer)
        except (ToolError, OSError) as error:
            if error.code == "UNKNOWN_MODULE":
                UNKNOWN_MODULES[name] = error
                return None
            raise as_import_error(error, name) from None
        spec = ModuleSpec(name, self, origin=path, is_package=path.endswith("/__init__.py"))
        spec.loader_state = {"source": source, "path": path}
        spec.has_location = True
        return spec


def as_import_error(error, name):
    """Returns an `ImportError` for a fault of the host."""
    found = ImportError(str(getattr(error, "strerror", error)), name=name)
    found.code = error.code
    found._request = error._request
    return found


class Servers:
    """The global `servers`, so that `servers.github.create_issue(...)` from a search answer works without an import."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return importlib.import_module(f"servers.{name}")


def install_imports(bridge, api):
    """Adds the finder, and the module `toolwright` with the names of the API."""
    module = types.ModuleType("toolwright", "The API of programs that run in Toolwright.")
    module.__dict__.update(api)
    module.__all__ = sorted(api)
    sys.modules["toolwright"] = module
    install_packages()
    sys.meta_path.append(BridgeFinder(bridge))
