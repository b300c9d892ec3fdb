import fc from 'fast-check';
import { build, type BuildOptions } from 'esbuild';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { SDKS, type Sdk } from '../../../src/code/generate/sdks.ts';
import { typeFlags, type TypedFlag } from '../../../src/code/generate/typed-flag.ts';
import { writeComment, writeString, writeTypeScript } from '../../../src/code/generate/typescript.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import { compile } from '../../helpers/compile.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { declaredFlag, project, withPayloads } from './support.ts';

const NAMES = Object.keys(SDKS) as readonly Sdk[];
const AWKWARD = [
  "it's",
  'a"b',
  'back\\slash',
  'two\nlines',
  '\u2028',
  '\u202e',
  '*/',
  '${x}',
  '`',
  '__proto__',
  'ünï',
  '-',
];

interface Case {
  readonly flags: readonly DeclaredFlag[];
  readonly payloads: readonly (readonly [key: string, payload: JsonValue])[];
}

const text = fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ maxLength: 8 }));
const key = fc.oneof(
  fc.stringMatching(/^[-_A-Za-z0-9]{1,8}$/),
  fc.constantFrom('delete', 'await', 'flag', 'Flags', 'FlagKey', '__proto__', 'constructor', 'exports', 'then', 'any'),
);
const value = fc.jsonValue({ maxDepth: 3 }).map((found) => JSON.parse(JSON.stringify(found)) as JsonValue);
const flag = fc.record({
  variants: fc.uniqueArray(
    text.filter((one) => one !== ''),
    { maxLength: 4 },
  ),
  payloads: fc.array(value, { maxLength: 4 }),
  description: text,
  tags: fc.array(text, { maxLength: 2 }),
});

const someFlags: fc.Arbitrary<Case> = fc
  .uniqueArray(fc.tuple(key, flag), { selector: ([name]) => name, maxLength: 6 })
  .map((made) => ({
    flags: made.map(([name, { variants, payloads, description, tags }]) => {
      const owners = variants.length === 0 ? ['true'] : variants;
      const byVariant = Object.fromEntries(
        owners
          .map((owner, at) => [owner, payloads[at]])
          .filter(([, one]) => one !== undefined)
          .map(([owner, one]) => [owner, JSON.stringify(one)]),
      );
      return declaredFlag(name, { name: description, tags, ...withPayloads(byVariant, variants) });
    }),
    payloads: made.flatMap(([name, { variants, payloads }]) =>
      payloads.slice(0, Math.max(variants.length, 1)).map((one) => [name, one] as const),
    ),
  }));

describe('a generated module', () => {
  it('compiles for any flags, and its types hold every payload', () => {
    const workspace = createWorkspace();
    const seed = 20;
    for (const [index, { flags, payloads }] of fc.sample(someFlags, { seed, numRuns: 40 }).entries()) {
      for (const sdk of NAMES)
        workspace.write(`case${index}/${sdk}.ts`, writeTypeScript(typeFlags([project(flags)]), sdk).text);
      const uses = payloads.map(
        ([name, payload], at) =>
          `export const p${at}: Flags[${writeString(name)}]['payload'] = ${JSON.stringify(payload)};\n`,
      );
      workspace.write(
        `case${index}/use.ts`,
        `import type { Flags } from './posthog-js.js';\nexport type All = Flags;\n${uses.join('')}`,
      );
    }
    expect(compile(workspace)).toBe('');
  });

  it('depends neither on the order of flags nor on that of their members', () => {
    fc.assert(
      fc.property(someFlags, fc.constantFrom(...NAMES), ({ flags }, sdk) => {
        const reversed = flags
          .toReversed()
          .map((one) => ({ ...one, fields: Object.fromEntries(Object.entries(one.fields).toReversed()) }));
        expect(writeTypeScript(typeFlags([project(reversed)]), sdk)).toEqual(
          writeTypeScript(typeFlags([project(flags)]), sdk),
        );
      }),
    );
  });

  it('has 2,000 flags', () => {
    const flags = Array.from({ length: 2000 }, (_, index) =>
      declaredFlag(`flag-${index}`, withPayloads({ a: { index } }, ['a', 'b'])),
    );
    const workspace = createWorkspace({ 'flags.ts': writeTypeScript(typeFlags([project(flags)]), 'posthog-js').text });
    expect(compile(workspace)).toBe('');
  });

  it('without flags is a module all the same', () => {
    const workspace = createWorkspace({ 'flags.ts': writeTypeScript([], 'openfeature-server').text });
    expect(compile(workspace)).toBe('');
  });

  it('leaves bundles the flags that code imports', async () => {
    const flags = ['used', 'unused'].map((one) => declaredFlag(one, withPayloads({})));
    const workspace = createWorkspace({
      'flags.ts': writeTypeScript(typeFlags([project(flags)]), 'posthog-js').text,
      'main.ts': "import { used } from './flags.js';\nconsole.log(used.key);\n",
    });
    const bundle: BuildOptions = {
      entryPoints: [path.join(workspace.root, 'main.ts')],
      bundle: true,
      write: false,
      format: 'esm',
    };
    const { outputFiles = [] } = await build(bundle);
    expect(outputFiles[0]?.text).toContain('"used"');
    expect(outputFiles[0]?.text).not.toContain('unused');
  });

  it('names the SDK as the command takes it', () => {
    for (const sdk of NAMES) expect(writeTypeScript([], sdk).text).toContain(`--sdk ${sdk}\n`);
  });
});

it.each<[string, Partial<TypedFlag>, string]>([
  ['nothing', {}, ''],
  ['its description', { description: 'What it is for' }, '/** What it is for */\n'],
  ['its tags and projects', { tags: ['x', 'y'], onlyIn: ['p', 'q'] }, '/**\n * Tags: x, y\n * Only in p, q.\n */\n'],
  ['that its payloads are encrypted', { untyped: 'encrypted' }, '/** Its payloads are encrypted. */\n'],
  ['that its payloads are large', { untyped: 'large' }, '/** Its payloads are too large for a type. */\n'],
  ['that others decide', { untyped: 'of-others' }, '/** The manifests do not decide its payloads. */\n'],
])('the comment of a flag says %s', (_what, more, comment) => {
  const { text: module } = writeTypeScript([{ key: 'a', tags: [], answers: [true], ...more }], 'posthog-js');
  expect(module).toContain(`\n\n${comment}export const a:`);
});

it('the comment of a flag says that the manifests do not decide its answers', () => {
  const { text: module } = writeTypeScript([{ key: 'a', tags: [] }], 'posthog-js');
  expect(module).toContain('\n\n/** The manifests do not decide what it answers. */\nexport const a:');
  expect(module).toContain('readonly value: string | boolean;');
});

describe('text of manifests', () => {
  it.each([
    ['*/ alert(1) /*', '/** *\\/ alert(1) /* */\n'],
    ['@deprecated no', '/** \\@deprecated no */\n'],
    ['first\r\nsecond\u2028third', '/**\n * first\n * second\n * third\n */\n'],
    ['a\u202eb\u0007', '/** a\\u202eb\\u0007 */\n'],
    [' \n ', ''],
  ])('%j stays in its comment', (description, comment) => {
    expect(writeComment([description], 0)).toBe(comment);
  });

  it('is the value of its literal', () => {
    fc.assert(
      fc.property(text, (found) => {
        const literal = writeString(found);
        expect(runInNewContext(literal)).toBe(found);
        expect(literal).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
