"""`import` of what lies on the far side of the bridge: servers, skills, and modules of the workspace."""
import sys
import types
from importlib.machinery import ModuleSpec

from .faults import ToolError

ROOTS = ("servers", "skills")
#: Codes of a module, a file or a server that is not there.
_MISSING = ("UNKNOWN_MODULE", "UNKNOWN_SERVER", "ENOENT", "ENOTDIR", "EISDIR")


class BridgeFinder:
    """Finds `servers.<server>`, `skills.<skill>` and files of the workspace; the standard library comes first."""

    def __init__(self, bridge):
        self._bridge = bridge

    def find_spec(self, name, _path=None, _target=None):
        parts = name.split(".")
        if parts[0].startswith("_") or parts[0] in sys.builtin_module_names:
            return None
        if len(parts) == 1 and name in ROOTS:
            return folder(name)
        base = "/" + "/".join(parts if parts[0] in ROOTS else ["workspace", *parts])
        if parts[0] == "servers":
            return self._module(name, f"{base}.py", self._ask(f"{base}.py"), False, required=True)
        # All at once: each is a way to the host and back.
        package, module, entry = (
            self._ask(f"{base}/__init__.py"),
            self._ask(f"{base}.py"),
            self._bridge.request("import", "fs.stat", base),
        )
        return (
            self._module(name, f"{base}/__init__.py", package, True)
            or self._module(name, f"{base}.py", module, False)
            or self._folder(name, entry)
        )

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        state = module.__spec__.loader_state
        exec(compile(state["source"], state["path"], "exec", dont_inherit=True), module.__dict__)

    def get_source(self, name):
        module = sys.modules.get(name)
        return module.__spec__.loader_state["source"] if module else None

    def _ask(self, path):
        return self._bridge.request("import", "module", path)

    def _module(self, name, path, answer, is_package, required=False):
        try:
            source = self._bridge.wait(answer)
        except (ToolError, OSError) as error:
            if required or getattr(error, "code", None) not in _MISSING:
                raise as_import_error(error, name) from None
            return None
        spec = ModuleSpec(name, self, origin=path, is_package=is_package)
        spec.loader_state = {"source": source, "path": path}
        spec.has_location = True
        return spec

    def _folder(self, name, answer):
        try:
            return folder(name) if self._bridge.wait(answer)["kind"] == "directory" else None
        except (ToolError, OSError):
            return None


def folder(name):
    """A package without a file of its own."""
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [f"/{name.replace('.', '/')}"]
    return spec


def as_import_error(error, name):
    found = ModuleNotFoundError(str(getattr(error, "message", error)), name=name)
    found.code = error.code
    found._request = getattr(error, "_request", None)
    return found


def install_imports(bridge, api):
    """Adds the finder, and the module `toolwright` with the names of the API."""
    module = types.ModuleType("toolwright", "The API of programs that run in Toolwright.")
    module.__dict__.update(api)
    module.__all__ = sorted(api)
    sys.modules["toolwright"] = module
    sys.meta_path.append(BridgeFinder(bridge))
