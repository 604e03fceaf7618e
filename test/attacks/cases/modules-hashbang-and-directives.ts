import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `await fs.writeFile('x.ts', '/** @jsx evil */ /* @jsxImportSource http://127.0.0.1/ */\\n//# sourceMappingURL=file:///etc/passwd\\nexport default 1');
return (await import('/workspace/x.ts')).default;`,
  badSandbox: 'not-run',
};

export default attack;
