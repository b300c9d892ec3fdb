/** Who changed a flag, when and in which commits, on the catalogue, held against what git has, over random histories. */

import { env } from 'node:process';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { canonicalText, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { cloneOf, createRepository, importFast, type TestRepository } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';
import { runs } from '../../helpers/runs.ts';

const CONFIG = `projects:
  production: { host: "http://127.0.0.1:9", project_id: "1" }
  staging: { host: "http://127.0.0.1:9", project_id: "2" }
`;
const AUTHORS = ['Ana', 'Bo Ek', 'Zoë <x'] as const;
const KEYS = ['a', 'b', 'c', 'd'];
const FILES = ['flags/one.yaml', 'flags/two.yaml', 'flags/deep/three.yaml'];

interface TestFlag {
  readonly file: string;
  readonly share: number;
  readonly active: boolean;
  readonly text: string;
  /** Of one project only. */
  readonly staging?: number;
}

/** The manifests of a commit: the flags, and how they are written. */
interface Tree {
  readonly flags: Readonly<Record<string, TestFlag>>;
  readonly style: number;
}

const step = fc.record({
  kind: fc.constantFrom(
    'share',
    'share',
    'text',
    'active',
    'staging',
    'add',
    'remove',
    'move',
    'move all',
    'style',
    'style',
    'merge',
  ),
  key: fc.constantFrom(...KEYS),
  other: fc.constantFrom(...KEYS),
  author: fc.constantFrom(...AUTHORS),
  merger: fc.constantFrom(...AUTHORS),
  number: fc.integer({ min: 1, max: 99 }),
  file: fc.constantFrom(...FILES),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const seen = { flags: 0, commits: 0, merges: 0, cut: 0 };
afterAll(() => {
  if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`histories: ${JSON.stringify(seen)}\n`);
});

test('names the commits that changed a flag, and no other', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
    const repository = write(steps);
    const expected = readHistory(repository);
    const { flags } = await catalogOf(repository);
    expect(flags.map(({ key }) => key)).toEqual([...expected.keys()].toSorted());
    for (const { key, changes = [], changed, created } of flags) {
      // A removal takes the flag out of git, and changes nothing that people get.
      const own = (expected.get(key) ?? []).filter(({ isGone }) => !isGone);
      seen.flags += 1;
      seen.commits += own.length;
      const told = changes.map(({ commit, by, at }) => [commit, by, at]);
      expect(distinct(told), key).toEqual(own.slice(0, distinct(told).length).map(factsOf));
      expect(told.length, key).toBeGreaterThanOrEqual(Math.min(own.length, 10));
      expect({ key, at: changed?.at, by: changed?.by }).toEqual({ key, at: own[0]?.at, by: own[0]?.by });
      if (own.length > 9) continue;
      const first = own.findLast(({ isNew }) => isNew);
      expect({ key, at: created?.at, by: created?.by }).toEqual({ key, at: first?.at, by: first?.by });
    }
  });
  // To find a smaller case takes minutes.
  await fc.assert(property, { numRuns: runs(40), endOnFailure: true });
}, 600_000);

test('says of a shallow clone only what it has', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 10 }),
    fc.integer({ min: 1, max: 3 }),
    async (steps, depth) => {
      const whole = write(steps.map((one) => ({ ...one, kind: one.kind === 'merge' ? 'share' : one.kind })));
      const all = readHistory(whole);
      const clone = cloneOf(whole, '--depth', String(depth));
      const { flags, notes } = await catalogOf(clone);
      const kept = new Set(clone.git('log', '--format=%H').split('\n'));
      const cut = clone.git('rev-list', '--max-parents=0', 'HEAD');
      const isCut = whole.git('rev-list', '--count', 'HEAD') !== String(kept.size);
      seen.cut += isCut ? 1 : 0;
      for (const { key, changes = [], changed, created } of flags) {
        // What the oldest commit of the clone changed is not known, as its parent is missing.
        const own = (all.get(key) ?? []).filter(
          ({ commit, isGone }) => !isGone && kept.has(commit) && !(isCut && commit === cut),
        );
        expect(
          changes.map(({ commit }) => commit),
          key,
        ).toEqual(own.map(({ commit }) => commit));
        expect(changed?.at, key).toBe(own[0]?.at);
        expect(created?.at, key).toBe(own.findLast(({ isNew }) => isNew)?.at);
      }
      expect(
        notes.some(({ words }) => words.includes('git')),
        JSON.stringify(notes),
      ).toBe(isCut);
    },
  );
  await fc.assert(property, { numRuns: runs(16), endOnFailure: true });
}, 600_000);

test('says nothing of a flag whose file is in no commit', async () => {
  const repository = createRepository({
    'flagwright.yaml': CONFIG,
    'flags/one.yaml': 'flags:\n  a: { active: true }\n',
  });
  repository.write('flags/two.yaml', 'flags:\n  b: { active: true }\n');
  const { flags } = await catalogOf(repository);
  expect(flags.map(({ key, changed, created, changes }) => [key, changed?.by, created?.by, changes?.length])).toEqual([
    ['a', 'Ana', 'Ana', 1],
    ['b', undefined, undefined, undefined],
  ]);
});

async function catalogOf({ root }: Pick<TestRepository, 'root'>): Promise<CatalogView> {
  const ran = await runCli(['catalog', '--declared', '-f', 'json'], {
    cwd: root,
    now: Date.parse('2026-12-01T00:00:00Z'),
  });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.document() as unknown as CatalogView;
}

/** One commit for each step, and three for a merge; each is a minute after the one before. */
function write(steps: readonly Step[]): TestRepository {
  const repository = createRepository();
  const start: Tree = {
    flags: Object.fromEntries(KEYS.slice(0, 2).map((key) => [key, newFlag(FILES[0] ?? '', 50)])),
    style: 0,
  };
  const lines: string[] = [];
  let mark = 0;
  const commit = (tree: Tree, author: string, parents: readonly number[]): number => {
    mark += 1;
    const seconds = 1_770_000_000 + mark * 60;
    const files = { 'flagwright.yaml': CONFIG, ...filesOf(tree) };
    lines.push(
      `commit refs/heads/main\nmark :${mark}`,
      `author ${author.replaceAll(/[<>]/g, '')} <a@example.com> ${seconds} +0200`,
      `committer Bot <bot@example.com> ${seconds + 5} +0000`,
      'data 1\nx',
      ...parents.map((parent, index) => `${index === 0 ? 'from' : 'merge'} :${parent}`),
      'deleteall',
      ...Object.entries(files).map(([file, text]) => `M 644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}`),
      '',
    );
    return mark;
  };
  let head = commit(start, 'Ana', []);
  let tree = start;
  for (const one of steps) {
    if (one.kind === 'merge' && one.key !== one.other) {
      const [left, right] = [
        changed(tree, { ...one, kind: 'share' }),
        changed(tree, { ...one, key: one.other, kind: 'text' }),
      ];
      const parents = [commit(left, one.author, [head]), commit(right, one.merger, [head])];
      const joined = { ...tree.flags, ...pick(left, one.key), ...pick(right, one.other) };
      tree = { ...tree, flags: joined };
      head = commit(tree, one.merger, parents);
      seen.merges += 1;
    } else {
      tree = changed(tree, one);
      head = commit(tree, one.author, [head]);
    }
  }
  importFast(repository.root, `${lines.join('\n')}\n`);
  repository.git('reset', '--quiet', '--hard', 'main');
  return repository;
}

function pick({ flags }: Tree, key: string): Tree['flags'] {
  return flags[key] === undefined ? {} : { [key]: flags[key] };
}

function newFlag(file: string, share: number): TestFlag {
  return { file, share, active: true, text: 'x' };
}

function changed({ flags, style }: Tree, { kind, key, number, file }: Step): Tree {
  const own = flags[key];
  const withOwn = (one: TestFlag): Tree => ({ flags: { ...flags, [key]: one }, style });
  if (kind === 'style') return { flags, style: number };
  if (kind === 'move all')
    return { flags: Object.fromEntries(Object.entries(flags).map(([name, one]) => [name, { ...one, file }])), style };
  if (own === undefined) return kind === 'add' || kind === 'share' ? withOwn(newFlag(file, number)) : { flags, style };
  switch (kind) {
    case 'share':
      return withOwn({ ...own, share: number });
    case 'text':
      return withOwn({ ...own, text: `text ${number}` });
    case 'active':
      return withOwn({ ...own, active: !own.active });
    case 'staging':
      return withOwn({ ...own, staging: number });
    case 'move':
      return withOwn({ ...own, file });
    case 'remove': {
      const { [key]: _, ...others } = flags;
      return Object.keys(others).length === 0 ? { flags, style } : { flags: others, style };
    }
    case 'add':
    case 'merge':
      return { flags, style };
  }
}

/** The style changes nothing that is declared: comments, order, quotes and empty lines. */
function filesOf({ flags, style }: Tree): Record<string, string> {
  const files: Record<string, string> = {};
  const entries = Object.entries(flags);
  for (const [key, { file, share, active, text, staging }] of style % 2 === 0 ? entries : entries.toReversed()) {
    const members = [
      `active: ${active}`,
      `description: ${style % 3 === 0 ? text : JSON.stringify(text)}`,
      `rollout_percentage: ${share}`,
      ...(staging === undefined ? [] : [`projects: { staging: { rollout_percentage: ${staging} } }`]),
    ];
    const ordered = style % 5 < 2 ? members : members.toReversed();
    const body = style % 7 < 4 ? `\n    ${ordered.join('\n    ')}\n` : ` { ${ordered.join(', ')} }\n`;
    files[file] = `${files[file] ?? `# ${style}\nflags:\n`}${style % 11 === 0 ? '\n' : ''}  ${key}:${body}`;
  }
  return files;
}

interface PastCommit {
  readonly commit: string;
  readonly at: string;
  readonly by: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
}

function factsOf({ commit, by, at }: PastCommit): readonly unknown[] {
  return [commit, by, at];
}

function distinct(list: readonly (readonly unknown[])[]): (readonly unknown[])[] {
  return [...new Map(list.map((one) => [String(one[0]), one])).values()];
}

/** By git alone: the commits in which the declaration of a flag differs from that of the parent, the newest first; of flags that exist. */
function readHistory(repository: TestRepository): ReadonlyMap<string, readonly PastCommit[]> {
  const found = new Map<string, PastCommit[]>();
  const declaredIn = new Map<string, Readonly<Record<string, JsonValue>>>();
  const read = (commit: string): Readonly<Record<string, JsonValue>> => {
    const known = declaredIn.get(commit);
    if (known !== undefined) return known;
    const names = repository.git('ls-tree', '-r', '--name-only', commit).split('\n');
    const manifests = names.filter((name) => name.startsWith('flags/'));
    const texts = manifests.map((name) => parse(repository.git('show', `${commit}:${name}`)) as { flags: JsonObject });
    const all = Object.assign({}, ...texts.map(({ flags }) => flags)) as Record<string, JsonValue>;
    declaredIn.set(commit, all);
    return all;
  };
  const log = repository.git('log', '--no-merges', '--format=%H%x09%P%x09%aI%x09%an', 'HEAD');
  for (const line of log.split('\n')) {
    const [commit = '', parent = '', at = '', by = ''] = line.split('\t');
    const [after, before] = [read(commit), parent === '' ? {} : read(parent)];
    for (const key of new Set([...Object.keys(after), ...Object.keys(before)])) {
      const [wanted, former] = [after[key], before[key]];
      if (wanted !== undefined && former !== undefined && canonicalText(wanted) === canonicalText(former)) continue;
      const one = {
        commit,
        by,
        at: new Date(at).toISOString(),
        isNew: former === undefined,
        isGone: wanted === undefined,
      };
      found.set(key, [...(found.get(key) ?? []), one]);
    }
  }
  const now = read(repository.git('rev-parse', 'HEAD'));
  const byTime = (list: readonly PastCommit[]): PastCommit[] =>
    list.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return new Map([...found].filter(([key]) => now[key] !== undefined).map(([key, list]) => [key, byTime(list)]));
}
