import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openFixture } from '../../../packages/conformance/src/sandbox/fixture.ts';
import { pythonLanguage } from '../../../packages/sandbox/src/languages/python.ts';
import type { Sandbox } from '../../../packages/sandbox/src/sandboxes/sandbox.ts';

/** Bodies of functions that use files of a folder of their own, in every way that programs do. Each returns a value of JSON. */
const PYTHON_FILES: readonly string[] = [
  `open("a.txt", "w").write("x"); return open("a.txt").read()`,
  `with open("a.bin", "wb") as f: f.write(bytes(range(256)))
return [os.path.getsize("a.bin"), open("a.bin", "rb").read()[-1]]`,
  `with open("l.txt", "w", newline="") as f: f.write("a\\r\\nb\\n")
return [open("l.txt").read(), open("l.txt", newline="").read(), list(open("l.txt"))]`,
  `with open("e.txt", "w", encoding="utf-16") as f: f.write("ä")
return [open("e.txt", "rb").read().hex(), open("e.txt", encoding="utf-16").read()]`,
  `with open("s.txt", "w+") as f:
    f.write("0123456789"); f.seek(3); f.truncate(6); f.seek(0)
    return f.read()`,
  `with open("u.txt", "w") as f: f.write("abc")
with open("u.txt", "r+") as f: f.seek(1); f.write("X")
return open("u.txt").read()`,
  `open("x.txt", "x").close(); open("x.txt", "x")`,
  `open("none.txt")`,
  `open("none/a.txt", "w")`,
  `os.mkdir("d"); open("d")`,
  `os.mkdir("d"); os.mkdir("d")`,
  `os.makedirs("p/q/r", exist_ok=True); os.makedirs("p/q/r", exist_ok=True); return sorted(os.listdir("p/q"))`,
  `os.mkdir("d"); open("d/f", "w").close(); os.rmdir("d")`,
  `os.remove("none")`,
  `os.mkdir("d"); open("d/a.txt", "w").close()
return [[root, sorted(folders), sorted(files)] for root, folders, files in os.walk(".")]`,
  `open("a", "w").write("1"); os.rename("a", "b"); return [os.listdir("."), open("b").read()]`,
  `open("a", "w").write("1"); open("b", "w").write("2"); os.replace("a", "b"); return [os.listdir("."), open("b").read()]`,
  `open("/tmp/tw-from.txt", "w").write("t"); os.rename("/tmp/tw-from.txt", "to.txt"); return [open("to.txt").read(), os.path.exists("/tmp/tw-from.txt")]`,
  `open("/tmp/tw-move.txt", "w").write("t"); shutil.move("/tmp/tw-move.txt", "moved.txt"); return open("moved.txt").read()`,
  `open("a", "w").write("1"); shutil.copy2("a", "b"); shutil.copyfile("a", "c"); return sorted(os.listdir("."))`,
  `os.makedirs("t/u"); open("t/u/f", "w").write("1"); shutil.copytree("t", "v"); shutil.rmtree("t"); return [os.listdir("."), open("v/u/f").read()]`,
  `Path("p.txt").write_text("x"); Path("q.txt").touch(); return sorted(p.name for p in Path(".").iterdir())`,
  `Path("d").mkdir(); Path("d/a.csv").write_text("1"); Path("d/b.txt").write_text("2"); return sorted(str(p) for p in Path(".").rglob("*.csv"))`,
  `Path("a.txt").write_text("x"); Path("a.txt").rename("b.txt"); Path("b.txt").unlink(); Path("none").unlink(missing_ok=True); return os.listdir(".")`,
  `Path("a.txt").write_text("x"); s = Path("a.txt").stat(); return [s.st_size, stat.S_ISREG(s.st_mode), Path("a.txt").exists(), Path("a.txt").is_dir(), Path("a.txt").suffix]`,
  `Path("a.bin").write_bytes(b"1"); return [Path("a.bin").read_bytes().hex(), Path("a.bin").absolute().name]`,
  `os.utime(Path("a.txt").touch() or "a.txt", (1000, 2000)); return os.path.getmtime("a.txt")`,
  `db = sqlite3.connect("shop.db"); db.execute("create table t (a)"); db.execute("insert into t values (5)"); db.commit(); db.close()
return sqlite3.connect("shop.db").execute("select a from t").fetchall()`,
  `with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("in/x.txt", "hello")
with zipfile.ZipFile("a.zip") as z: z.extractall("out")
return [open("out/in/x.txt").read(), zipfile.is_zipfile("a.zip")]`,
  `open("f.txt", "w").write("t")
with tarfile.open("a.tar", "w") as t: t.add("f.txt")
with tarfile.open("a.tar") as t: return t.getnames()`,
  `open("f.txt", "w").write("t")
with tarfile.open("a.tar.gz", "w:gz") as t: t.add("f.txt")
with tarfile.open("a.tar.gz") as t: return t.extractfile("f.txt").read().decode()`,
  `shutil.make_archive("pack", "zip", ".", None) if False else None; os.mkdir("src"); open("src/a", "w").write("1")
shutil.make_archive("pack", "zip", "src"); shutil.unpack_archive("pack.zip", "back"); return os.listdir("back")`,
  `with gzip.open("a.gz", "wt") as f: f.write("zipped")
return [gzip.open("a.gz", "rt").read(), open("a.gz", "rb").read(2).hex()]`,
  `with bz2.open("a.bz2", "wt") as f: f.write("zipped")
return bz2.open("a.bz2", "rt").read()`,
  `with tempfile.NamedTemporaryFile("w+", dir=".", suffix=".txt") as f: f.write("x"); f.flush(); return os.path.getsize(f.name)`,
  `with tempfile.TemporaryDirectory() as d: open(os.path.join(d, "a"), "w").write("x"); n = os.listdir(d)
return [n, os.path.exists(d)]`,
  `with tempfile.TemporaryFile() as f: f.write(b"x"); f.seek(0); return f.read().decode()`,
  `h, p = tempfile.mkstemp(dir="."); os.write(h, b"low"); os.close(h); return open(p).read()`,
  `with open("m.bin", "wb") as f: f.write(b"a" * 4096)
with open("m.bin", "r+b") as f:
    with mmap.mmap(f.fileno(), 0) as m: m[0:1] = b"Z"; m.flush()
return open("m.bin", "rb").read(2).decode()`,
  `f = os.open("o.txt", os.O_CREAT | os.O_RDWR); os.write(f, b"abc"); os.lseek(f, 1, 0); r = os.read(f, 2); os.close(f); return r.decode()`,
  `f = os.open("o.txt", os.O_CREAT | os.O_WRONLY | os.O_APPEND); os.write(f, b"a"); os.write(f, b"b"); os.close(f); return open("o.txt").read()`,
  `open("a.txt", "w").write("x"); return [e.name for e in os.scandir(".") if e.is_file()]`,
  `open("b.txt", "w").close(); open("a.txt", "w").close(); return [sorted(glob.glob("*.txt")), sorted(glob.glob("**/*.txt", recursive=True))]`,
  `with open("r.csv", "w", newline="") as f: csv.writer(f).writerows([["a", "b"], [1, "x,y"]])
return [list(csv.DictReader(open("r.csv"))), open("r.csv", newline="").read()]`,
  `json.dump({"a": [1]}, open("a.json", "w")); return json.load(open("a.json"))`,
  `pickle.dump({"a": (1, 2)}, open("a.pkl", "wb")); return pickle.load(open("a.pkl", "rb"))["a"][1]`,
  `c = configparser.ConfigParser(); c["s"] = {"k": "v"}; c.write(open("a.ini", "w")); d = configparser.ConfigParser(); d.read("a.ini"); return d["s"]["k"]`,
  `with open("b.txt", "w") as f: print("a", 1, sep="-", file=f)
return open("b.txt").read()`,
  `with fileinput.input(files=["none.txt"]) as f: return list(f)`,
  `open("a.txt", "w").write("1\\n2\\n"); return [linecache.getline("a.txt", 2), sum(1 for _ in open("a.txt"))]`,
  `os.mkdir("d"); os.chdir("d"); open("in.txt", "w").write("x"); os.chdir(".."); return [os.listdir("d"), os.path.exists("d/in.txt")]`,
  `return [os.path.isabs(os.getcwd()), os.path.exists(os.path.expanduser("~")), Path.home().is_dir()]`,
  `open("a.txt", "w").write("x"); return filecmp.cmp("a.txt", "a.txt")`,
  `with contextlib.ExitStack() as s: fs = [s.enter_context(open(f"f{i}", "w")) for i in range(20)]; [f.write("x") for f in fs]
return len(os.listdir("."))`,
  `open("ümläut 名.txt", "w").write("x"); return os.listdir(".")`,
  `open("big.bin", "wb").write(b"x" * 3_000_000); f = open("big.bin", "rb"); f.seek(-1, 2); return [f.read().decode(), f.tell()]`,
  `os.symlink("a", "b")`,
  `open("a.txt", "w").write("x"); os.truncate("a.txt", 0); return os.path.getsize("a.txt")`,
  `return shutil.disk_usage(".").total > 0`,
];

/** Cases that differ on purpose: a workspace has no links. */
const OTHERWISE: Readonly<Record<string, unknown>> = { 'os.symlink("a", "b")': ['PermissionError', 'EPERM'] };

const IMPORTS = `import bz2, configparser, contextlib, csv, errno, filecmp, fileinput, glob, gzip, json, linecache, mmap, os, pickle, shutil
import sqlite3, stat, tarfile, tempfile, zipfile
from pathlib import Path`;

/** Runs all of them in a sandbox, and compares the outcomes with those of the system's Python in a real folder below `folder`. */
export async function comparePythonFiles(sandbox: Sandbox, folder: string): Promise<void> {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await using fixture = openFixture({ sandbox, language: pythonLanguage(), dataDir, limits: { timeoutMs: 60_000 } });
  const { result } = await fixture.execute(`${pythonFileProgram()}\nresult = outcomes`);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  expect(byCase(result.value as readonly unknown[])).toEqual(inPython(mkdtempSync(join(folder, 'real-'))));
}

/** Returns the program that runs all of them, each in a folder of its own, and collects values and errors in \`outcomes\`. */
function pythonFileProgram(): string {
  const functions = PYTHON_FILES.map((body, index) => `def case_${index}():\n${body.replace(/^/gm, '    ')}\n`);
  return `${IMPORTS}
home = os.getcwd()
outcomes = []
${functions.join('\n')}
for index in range(${PYTHON_FILES.length}):
    os.chdir(home)
    os.mkdir(f"case-{index}")
    os.chdir(f"case-{index}")
    try:
        outcomes.append(globals()[f"case_{index}"]())
    except Exception as error:
        outcomes.append([type(error).__name__, errno.errorcode.get(getattr(error, "errno", None))])
os.chdir(home)
`;
}

/** Returns the outcomes by their case. */
function byCase(outcomes: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(PYTHON_FILES.map((body, index) => [body, outcomes[index]]));
}

/** Returns the outcomes of the system's Python in a real folder, with those that differ on purpose. */
function inPython(folder: string): Record<string, unknown> {
  const program = `${pythonFileProgram()}\nprint(json.dumps(outcomes))`;
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const out = execFileSync('python3', ['-I', '-c', program], { cwd: folder, env, encoding: 'utf8' });
  return { ...byCase(JSON.parse(out)), ...OTHERWISE };
}
