import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appliedRef, commitsIn, readRecord, recordText } from '../../../src/cli/applied/applied-record.ts';
import type { Recorded } from '../../../src/cli/applied/open-checkout.ts';
import type { Progress } from '../../../src/core/rollout/rollout.ts';
import { holds } from '../../helpers/runs.ts';

const refOf = (name: string, file = 'flagwright.yaml', prefix = ''): string =>
  appliedRef({ file }, { name }, { prefix }) ?? '';

test.each([
  ['production', 'production'],
  ['eu.staging_2', 'eu.staging_2'],
  ['a..b', 'a%2E.b'],
  ['a.', 'a%2E'],
  ['a.lock', 'a%2Elock'],
])('project %s has the ref %s', (name, ref) => {
  expect(refOf(name)).toBe(`refs/flagwright/applied/${ref}`);
});

test('the folder and the name of the configuration keep projects of the same name apart', () => {
  const refs = [
    refOf('main'),
    refOf('main', 'sub/flagwright.yml'),
    refOf('main', '../other.yaml'),
    refOf('main', 'flagwright.yaml', 'teams/a'),
    refOf('a/main', 'flagwright.yaml', 'teams'),
    refOf('main', 'flagwright.yaml', 'teams%2Fa'),
  ];
  expect(refs.slice(0, 4)).toEqual([
    'refs/flagwright/applied/main',
    'refs/flagwright/applied/main',
    'refs/flagwright/applied/other.yaml%2Fmain',
    'refs/flagwright/applied/teams%2Fa%2Fmain',
  ]);
  expect(refs[5]).toBe('refs/flagwright/applied/teams%252Fa%2Fmain');
});

test('every name is one that git takes', () => {
  const odd = [
    '-x',
    '.x',
    'a b',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    'a@{b',
    '@',
    'ä',
    '💥',
    'a\nb',
    'a..lock.',
  ];
  for (const name of odd) {
    for (const ref of [refOf(name), refOf('main', 'flagwright.yaml', `${name}/${name}`)]) {
      expect(() => execFileSync('git', ['check-ref-format', ref])).not.toThrow();
    }
  }
});

test('without a configuration file there is no ref', () => {
  expect(appliedRef({}, { name: 'environment' }, { prefix: '' })).toBeUndefined();
});

describe('the record of what was applied', () => {
  const [ID, OTHER] = ['a'.repeat(40), 'b'.repeat(64)];
  const TREE = 'c'.repeat(40);
  const EMPTY = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  const NOTHING: Recorded = { earlier: [], rollouts: [] };
  const AT = '2026-12-01T08:00:00.000Z';
  const STEP: Progress = { key: 'a', pointer: '/active', from: false, steps: [{ at: AT, to: true }], step: 0, at: AT };

  const commitOf = (message: string, head = `tree ${TREE}\nparent ${OTHER}\nauthor Ada <ada@acme.com> 1 +0000`) =>
    ({ id: ID, bytes: Buffer.from(`${head}\n\n${message}`) }) as Parameters<typeof readRecord>[0];
  const APPLIED = commitOf('Widen the checkout\n\nApplied: everything\n');
  const written = (recorded: Recorded, applied = APPLIED): string | undefined =>
    recordText(applied, recorded, { project: 'eu', seconds: 1_700_000_000 });
  const read = (text: string): ReturnType<typeof readRecord> =>
    readRecord({ ...APPLIED, id: OTHER, bytes: Buffer.from(text) });

  test('is the commit itself where an apply left nothing', () => {
    expect(written(NOTHING)).toBeUndefined();
    expect(readRecord(APPLIED)).toEqual({ kind: 'commit', commit: ID, ...NOTHING });
  });

  test('has the files of the commit, and each commit that it names as a parent', () => {
    const text = written({
      earlier: [{ key: 'a', commit: OTHER }, { key: 'b', commit: OTHER }, { key: 'c' }],
      rollouts: [STEP],
    });
    expect(text?.split('\n').slice(0, 8)).toEqual([
      `tree ${TREE}`,
      `parent ${ID}`,
      `parent ${OTHER}`,
      'author flagwright <flagwright@localhost> 1700000000 +0000',
      'committer flagwright <flagwright@localhost> 1700000000 +0000',
      '',
      'flagwright: applied, but for what was left',
      '',
    ]);
    expect(text).toMatch(/\n$/);
    expect(text).toContain('was applied to "eu".');
    expect(commitsIn({ commit: ID, earlier: [{ key: 'a', commit: ID }, { key: 'b' }] })).toEqual([ID]);
  });

  test('says what it was written with, whatever the names of resources, fields and projects are', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('a"b', 'a\\', 'a\nApplied: x', 'Left: ', '[]', 'é\u2028'));
    const earlier = fc.record(
      { key: name, fields: fc.array(name, { minLength: 1, maxLength: 3 }), commit: fc.constantFrom(ID, OTHER) },
      { requiredKeys: ['key'] },
    );
    const rollout = name.map((key): Progress => ({
      ...STEP,
      key,
      approved: [{ rule: key, by: key, step: STEP.at, facts: { what: key } }],
    }));
    holds(
      100,
      [fc.array(earlier, { maxLength: 4 }), fc.array(rollout, { maxLength: 3 }), name],
      (left, rollouts, project) => {
        const text = recordText(APPLIED, { earlier: left, rollouts }, { project, seconds: 1 });
        if (text === undefined) expect([left, rollouts]).toEqual([[], []]);
        else expect(read(text)).toEqual({ kind: 'commit', commit: ID, earlier: left, rollouts });
      },
    );
  });

  test('that was reset names nothing', () => {
    expect(readRecord(commitOf('Reset\n', `tree ${EMPTY}\nauthor Ada <ada@acme.com> 1 +0000`))).toEqual({
      kind: 'nothing',
    });
    const sha256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';
    expect(readRecord(commitOf('Reset\n', `tree ${sha256}`))).toEqual({ kind: 'nothing' });
    expect(readRecord(commitOf('Remove all\n', `tree ${EMPTY}\nparent ${OTHER}`))).toMatchObject({
      kind: 'commit',
      commit: ID,
    });
    expect(readRecord(commitOf('First\n', `tree ${TREE}`))).toMatchObject({ kind: 'commit', commit: ID });
  });

  const IDS = { host: 'https://us.posthog.com', project_id: '1', ids: { a: 1, 'cohort:vip': 7 } };
  const whole = written({ earlier: [{ key: 'a', fields: ['name'], commit: OTHER }], rollouts: [STEP], ids: IDS }) ?? '';
  test.each<[string, (text: string) => string]>([
    ['names no commit', (text) => text.replace(/^Applied: .*\n/m, '')],
    ['names another commit than its parent', (text) => text.replace(`parent ${ID}`, `parent ${OTHER}`)],
    ['has no parent', (text) => text.replace(/^parent .*\n/gm, '')],
    ['has a line in another form', (text) => text.replace(/^Left: .*$/m, 'Left: everything')],
    ['has a short commit in a line', (text) => text.replace(`Left: ${OTHER}`, `Left: ${OTHER.slice(0, 39)}`)],
    ['has more in a line', (text) => text.replace('["name"]', '["name"] later')],
    ['has a field that is no name', (text) => text.replace('["name"]', '[1]')],
    ['has fields that are no JSON', (text) => text.replace('["name"]', '[name]')],
    ['has a name that is no JSON', (text) => text.replace('"a" ["name"]', '"\\x" ["name"]')],
    ['has a step in another form', (text) => text.replace(/^Step: .*$/m, 'Step: {"key":"a"}')],
    ['has ids in another form', (text) => text.replace(/^Ids: .*$/m, 'Ids: {"host":"a"}')],
    ['has an id that is none', (text) => text.replace('"a":1', '"a":{"id":1}')],
    ['has a step that is no JSON', (text) => text.replace(/^Step: .*$/m, 'Step: {')],
  ])('that %s is unknown, and never taken for less', (_what, change) => {
    expect(read(whole)).toMatchObject({ kind: 'commit', commit: ID });
    expect(change(whole)).not.toBe(whole);
    expect(read(change(whole))).toEqual({ kind: 'unknown' });
  });

  test.each<[string, (text: string) => string]>([
    ['another author', (text) => text.replace('author flagwright', 'author Ada')],
    ['another subject', (text) => text.replace('flagwright: applied', 'applied')],
    ['a longer subject', (text) => text.replace('what was left', 'what was left, and more')],
  ])('with %s is a commit of people', (_what, change) => {
    expect(read(change(whole))).toEqual({ kind: 'commit', commit: OTHER, ...NOTHING });
  });

  test('wraps a commit of people that looks like a record', () => {
    const id = 'd'.repeat(40);
    const copied = { ...APPLIED, id, bytes: Buffer.from(whole) };
    const text = written(NOTHING, copied);
    expect(text).toContain(`Applied: ${id}`);
    expect(read(text ?? '')).toEqual({ kind: 'commit', commit: id, ...NOTHING });
  });
});

describe('since when the parts of flags were applied', () => {
  const APPLIED = { id: 'a'.repeat(40), bytes: Buffer.from('tree 0\n\nA change') };
  const SINCE = {
    checkout: { '2026-11-02T08:00:00.000Z': { '': '', '/active': 'ab12' }, '2026-11-03T08:00:00.000Z': { '/x': null } },
  };
  const textWith = (since: Recorded['since']): string =>
    recordText(
      { ...APPLIED, type: 'commit' } as never,
      { earlier: [], rollouts: [], ...(since && { since }) },
      { project: 'staging', seconds: 1 },
    ) ?? '';
  const sinceIn = (text: string): unknown => {
    const record = readRecord({ id: 'b'.repeat(40), bytes: Buffer.from(text) } as never);
    return record.kind === 'commit' ? (record.since ?? null) : record.kind;
  };

  test('is read back, and nothing is written without it', () => {
    expect(textWith(undefined)).toBe('');
    expect(sinceIn(textWith(SINCE))).toEqual(SINCE);
  });

  test.each([
    '[]',
    '{"checkout":3}',
    '{"checkout":{"soon":{}}}',
    '{"checkout":{"2026-11-02T08:00:00.000Z":{"/a":1}}}',
    '{',
  ])('says nothing if it is damaged, and the rest of the record stays: %s', (damaged) => {
    expect(sinceIn(textWith(SINCE).replace(/^Since: .*$/m, `Since: ${damaged}`))).toBeNull();
  });
});
