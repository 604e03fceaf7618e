import type { Attacks } from '../../attack.ts';
import { steal } from '../../preludes.ts';

const attacks: Attacks = {
  'async-function': {
    makeProgram: (canaries) => steal(canaries, `await (async () => {}).constructor('return process')()`),
    badSandbox: 'caught',
  },
  'async-generator-function': {
    makeProgram: (canaries) =>
      steal(canaries, `(await (async function* () {}).constructor('yield process')().next()).value`),
    badSandbox: 'caught',
  },
  'bound-function': {
    makeProgram: (canaries) => steal(canaries, `Function.prototype.bind.call(Function, null, 'return process')()()`),
    badSandbox: 'caught',
  },
  'caller-arguments': {
    program: `function reveal() { return [reveal.caller, reveal.arguments, arguments.callee] }
try { return String(reveal()) } catch (error) { return error.message }`,
    badSandbox: 'not-run',
  },
  'class-constructor': {
    makeProgram: (canaries) => steal(canaries, `(class {}).constructor('return process')()`),
    badSandbox: 'caught',
  },
  'console-object': {
    makeProgram: (canaries) => steal(canaries, `console.log.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'error-constructor': {
    makeProgram: (canaries) => steal(canaries, `Error.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'files-object': {
    makeProgram: (canaries) => steal(canaries, `fs.readFile.constructor.prototype.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'function-constructor': {
    makeProgram: (canaries) => steal(canaries, `(() => {}).constructor('return process')()`),
    badSandbox: 'caught',
  },
  'generator-function': {
    makeProgram: (canaries) => steal(canaries, `(function* () {}).constructor('yield process')().next().value`),
    badSandbox: 'caught',
  },
  'getter-constructor': {
    makeProgram: (canaries) =>
      steal(
        canaries,
        `Object.getOwnPropertyDescriptor(Object.getPrototypeOf(new Map()), 'size').get.constructor('return process')()`,
      ),
    badSandbox: 'caught',
  },
  'global-constructor': {
    makeProgram: (canaries) => steal(canaries, `globalThis.constructor.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'host-error': {
    makeProgram: (canaries) =>
      steal(
        canaries,
        `await callMCPTool('tools__fail', {}).catch((error) => error.constructor.constructor('return process')())`,
      ),
    badSandbox: 'caught',
  },
  'host-function': {
    makeProgram: (canaries) => steal(canaries, `callMCPTool.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'host-value': {
    makeProgram: (canaries) =>
      steal(
        canaries,
        `(await callMCPTool('tools__echo', { value: { a: [] } })).a.constructor.constructor('return process')()`,
      ),
    badSandbox: 'caught',
  },
  'indirect-eval': {
    makeProgram: (canaries) => steal(canaries, `(0, eval)('process')`),
    badSandbox: 'caught',
  },
  'json-constructor': {
    makeProgram: (canaries) => steal(canaries, `JSON.parse.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'module-namespace': {
    makeProgram: (canaries) =>
      steal(canaries, `(await import('./servers/tools/index.js')).add.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'new-function': {
    makeProgram: (canaries) => steal(canaries, `new Function('return this.process ?? process')()`),
    badSandbox: 'caught',
  },
  'prepare-stack-trace': {
    program: `let sites = [];
Error.prepareStackTrace = (error, callSites) => { sites = callSites; return callSites };
try { null.x } catch (error) { void error.stack }
try { await callMCPTool('tools__fail', {}) } catch (error) { void error.stack }
const global = sites.map?.((site) => site.getThis?.() ?? site.getFunction?.()).find(Boolean);
return [sites.length, String(global?.constructor?.constructor('return typeof process')()), sites.map?.((site) => String(site.getFileName?.()))];`,
    badSandbox: 'not-run',
  },
  promise: {
    makeProgram: (canaries) =>
      steal(canaries, `callMCPTool('tools__text').constructor.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'proxy-arguments': {
    program: `const seen = [];
const trap = new Proxy(function () {}, {
  get(target, key, receiver) { seen.push(String(key)); return key === Symbol.toPrimitive ? () => 'tools__text' : trap },
  apply(target, self, args) { seen.push(String(args.map((arg) => arg?.constructor?.constructor('return typeof process')()))); return trap },
  ownKeys() { return [] },
});
for (const call of [() => callMCPTool(trap, trap), () => callMCPTool('tools__echo', trap), () => fs.readFile(trap), () => search_tools(trap, trap), () => console.log(trap), () => progress(trap)]) {
  try { await call() } catch (error) { seen.push(error.message) }
}
return seen.slice(0, 50);`,
    badSandbox: 'not-run',
  },
  'reflect-construct': {
    makeProgram: (canaries) => steal(canaries, `Reflect.construct(Function, ['return process'], class {})()`),
    badSandbox: 'caught',
  },
  'stack-overflow-error': {
    program: `let host;
const dive = () => { try { dive() } catch (error) { host = error; callMCPTool('tools__text').catch((inner) => { host = inner }) } };
dive();
await sleep(20);
return String(host?.constructor.constructor('return typeof process')());`,
    badSandbox: 'not-run',
  },
  'symbol-species': {
    program: `class Mine extends Promise { static get [Symbol.species]() { return function (executor) { executor(() => {}, () => {}); this.taken = executor } } }
Object.defineProperty(Promise, Symbol.species, { value: Mine });
Array[Symbol.species] = Mine;
const seen = [];
Promise.prototype.then = function (...parts) { seen.push(parts.map((part) => String(part?.constructor?.constructor('return typeof process')()))); };
void callMCPTool('tools__text');
return seen;`,
    badSandbox: 'not-run',
  },
  'tagged-template': {
    makeProgram: (canaries) => steal(canaries, `String.raw.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'this-constructor': {
    makeProgram: (canaries) =>
      steal(canaries, `(function () { return this ?? globalThis })().constructor.constructor('return process')()`),
    badSandbox: 'caught',
  },
  timer: {
    makeProgram: (canaries) => steal(canaries, `setTimeout.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'tool-error': {
    makeProgram: (canaries) => steal(canaries, `new ToolError('x').constructor.constructor('return process')()`),
    badSandbox: 'caught',
  },
  'weakref-finalizer': {
    program: `const seen = [];
const registry = new FinalizationRegistry((held) => seen.push(held.constructor.constructor('return typeof process')()));
for (let i = 0; i < 1000; i++) registry.register({}, {});
await sleep(50);
return seen;`,
    badSandbox: 'not-run',
  },
};

export default attacks;
