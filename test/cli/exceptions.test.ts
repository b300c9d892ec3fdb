/** Exceptions from the command line: what lifts a rule is what was there before the change, or what somebody grants who approves it. */

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';

const STRICT = `${CONFIG.replace('limits: { updates_percent: 100 }', 'limits: { updates_percent: 100, deletes: 0 }')}protected: [search]
policies:
  approvers: [ann, bob]
  rules:
    - { rule: max-widen, points: 25 }
`;
/** Breaks two safety rules and a policy. */
const BREAKING = `flags:
  checkout: { description: One-page checkout, active: true, rollout_percentage: 90 }
  search: { deleted: true }
`;

interface Entry {
  readonly rule: string;
  readonly keys?: string;
  readonly most?: number;
  readonly path?: string;
  readonly reason?: string;
  readonly until?: string;
  readonly granted_by?: string;
  readonly projects?: string;
}

function fileOf(...entries: readonly Entry[]): string {
  const lines = entries.map((entry) => {
    const whole = { reason: 'legal asked for it', until: '2026-06-15', granted_by: 'ann', ...entry };
    return `  - { ${Object.entries(whole)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')} }`;
  });
  return `exceptions:\n${lines.join('\n')}\n`;
}

const NEEDED: readonly Entry[] = [
  { rule: 'deletes', most: 1 },
  { rule: 'protected', keys: '[search]' },
  { rule: 'max-widen', keys: '["check*"]' },
];
const DAY = { now: Date.parse('2026-06-15T12:00:00Z') };

/** The configuration and these files are applied; the manifests then break rules. */
async function applied(files: Readonly<Record<string, string>> = {}, config = STRICT): Promise<GitStage> {
  const here = await gitStage(config);
  for (const [file, text] of Object.entries(files)) here.write(file, text);
  if (Object.keys(files).length > 0) here.commit();
  expect(await here.runWith(DAY, 'apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', BREAKING);
  return here;
}

const write = (here: GitStage, file: string, text: string): void =>
  here.write(file, text.replaceAll('$HOST', here.world.url));

interface Told {
  readonly code: number;
  readonly refused: readonly string[];
  readonly exceptions: readonly string[];
}

async function planned(here: GitStage, clock: { readonly now: number }, ...argv: readonly string[]): Promise<Told> {
  const plan = await here.runWith(clock, 'plan', '-f', 'json', '--detailed-exitcode', ...argv);
  const document = plan.document();
  expect(schemaErrors('plan', document)).toEqual([]);
  const rules = document['broken_rules'] as readonly { rule: string; refuses: boolean }[];
  const exceptions = (document['exceptions'] ?? []) as readonly { code: string; rules: readonly string[] }[];
  return {
    code: plan.code,
    refused: rules.flatMap(({ rule, refuses }) => (refuses ? rule : [])),
    exceptions: exceptions.map(({ code, rules: [rule] }) => `${code.replace('exception_', '')} ${rule}`),
  };
}

const ALL = ['deletes', 'protected', 'max-widen'];
const each = (what: string): string[] => ALL.map((rule) => `${what} ${rule}`);

test('the exceptions of the base lift safety rules and policies alike, and each says what it lifts', async () => {
  const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED) });
  expect(await planned(here, DAY)).toEqual({ code: 2, refused: [], exceptions: each('used') });
  const text = (await here.runWith(DAY, 'plan')).stdout;
  expect(text).toContain('search is protected, but the plan would delete it (protected).');
  expect(text).toContain('Exception by ann until 2026-06-15: legal asked for it. Unproved: the file names ann');
  expect(await here.runWith(DAY, 'apply', '--yes')).toMatchObject({ code: 0 });
});

test('those that a change brings itself count once the person who grants them approves the change', async () => {
  const here = await applied();
  here.write('exceptions.yaml', fileOf(...NEEDED));
  expect(await planned(here, DAY)).toEqual({ code: 4, refused: ALL, exceptions: each('not_approved') });
  expect(await planned(here, DAY, '--approved-by', 'bob')).toMatchObject({ code: 4, exceptions: each('not_approved') });
  expect(await here.runWith(DAY, 'apply', '--yes')).toMatchObject({ code: 4 });
  expect(await planned(here, DAY, '--approved-by', 'ann')).toEqual({ code: 2, refused: [], exceptions: each('used') });
  expect(await here.runWith(DAY, 'apply', '--yes', '--approved-by', 'ann')).toMatchObject({ code: 0 });
});

test('before anything was applied, no exception counts unless the person who grants it approves the change', async () => {
  const here = await gitStage(STRICT);
  await here.world.client.createFlag({ key: 'search', filters: { groups: [{ rollout_percentage: 1 }] } });
  here.write('flags/main.yaml', BREAKING);
  here.write('exceptions.yaml', fileOf(...NEEDED));
  here.commit();
  expect(await planned(here, DAY)).toMatchObject({
    code: 4,
    exceptions: expect.arrayContaining(['not_approved protected']),
  });
  expect(await planned(here, DAY, '--approved-by', 'ann')).toMatchObject({ refused: [] });
});

describe('an exception of the base lifts nothing if', () => {
  type Attack = [string, (here: GitStage) => readonly string[] | undefined, Partial<Told>, { now: number }];
  const alter = (change: Partial<Entry>) => (here: GitStage) => {
    here.write('exceptions.yaml', fileOf(...NEEDED.map((one) => ({ ...one, ...change }))));
    return undefined;
  };
  const ATTACKS: readonly Attack[] = [
    ['the change alters its reason', alter({ reason: 'more' }), { exceptions: each('not_approved') }, DAY],
    ['the change alters its last day', alter({ until: '2027-06-15' }), { exceptions: each('not_approved') }, DAY],
    ['the change alters who grants it', alter({ granted_by: 'bob' }), { exceptions: each('not_approved') }, DAY],
    ['the change alters its projects', alter({ projects: '[main]' }), { exceptions: each('not_approved') }, DAY],
    [
      'the change alters its flags or its number',
      (here) => {
        const wider = [
          { rule: 'deletes', most: 9 },
          { rule: 'protected', keys: '["*"]' },
          { rule: 'max-widen', keys: '["*"]' },
        ];
        here.write('exceptions.yaml', fileOf(...wider));
        return undefined;
      },
      { exceptions: each('not_approved') },
      DAY,
    ],
    [
      'the change deletes it',
      (here) => {
        here.write('exceptions.yaml', 'exceptions: []\n');
        return undefined;
      },
      { exceptions: [] },
      DAY,
    ],
    [
      'the change deletes the file',
      (here) => {
        here.git('rm', '--quiet', 'exceptions.yaml');
        return undefined;
      },
      { exceptions: [] },
      DAY,
    ],
    [
      'its last day is over',
      () => undefined,
      { exceptions: each('expired') },
      { now: Date.parse('2026-06-16T00:00:00Z') },
    ],
    [
      'the change says that it is for another project',
      (here) => {
        const renamed = STRICT.replace('  main:', '  other: { service: embedded }\n  renamed:').replace(
          'limits',
          'default_project: renamed\nlimits',
        );
        write(here, 'flagwright.yaml', renamed);
        here.write('exceptions.yaml', fileOf(...NEEDED.map((one) => ({ ...one, projects: '[other]' }))));
        return ['--base', 'HEAD'];
      },
      { exceptions: [] },
      DAY,
    ],
  ];

  test.each<Attack>(ATTACKS)('%s', async (_, attack, told, clock) => {
    const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED) });
    const options = attack(here) ?? [];
    expect(await planned(here, clock, ...options)).toEqual({ code: 4, refused: ALL, exceptions: [], ...told });
    expect(await here.runWith(clock, 'apply', '--yes', ...options)).toMatchObject({ code: 4 });
  });

  test('who grants it is no approver any more', async () => {
    const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED.map((one) => ({ ...one, granted_by: 'eve' }))) });
    expect(await planned(here, DAY, '--approved-by', 'eve')).toEqual({
      code: 4,
      refused: ALL,
      exceptions: each('not_approver'),
    });
  });

  test('the change makes its grantor an approver', async () => {
    const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED.map((one) => ({ ...one, granted_by: 'eve' }))) });
    write(here, 'flagwright.yaml', STRICT.replace('[ann, bob]', '[eve]'));
    expect(await planned(here, DAY, '--approved-by', 'eve')).toMatchObject({
      code: 4,
      exceptions: each('not_approver'),
    });
  });

  test('it was for a project that had the name of this one, which the change renames', async () => {
    const second = STRICT.replace('  main:', '  staging: { service: embedded }\n  main:').replace(
      'limits',
      'default_project: main\nlimits',
    );
    const here = await applied(
      { 'exceptions.yaml': fileOf(...NEEDED.map((one) => ({ ...one, projects: '[staging]' }))) },
      second,
    );
    expect(await planned(here, DAY)).toMatchObject({ code: 4, exceptions: [] });
    write(
      here,
      'flagwright.yaml',
      second
        .replace('  staging:', '  former:')
        .replace('  main:', '  staging:')
        .replace('default_project: main', 'default_project: staging'),
    );
    expect(await planned(here, DAY, '--base', 'HEAD')).toMatchObject({ code: 4, exceptions: each('not_approved') });
  });
});

describe('the same exceptions count although the change', () => {
  test.each<[string, (here: GitStage) => readonly string[]]>([
    [
      'moves the file of exceptions',
      (here) => {
        write(here, 'flagwright.yaml', `exceptions: rules/yes.yaml\n${STRICT}`);
        here.write('rules/.keep', '');
        here.git('mv', 'exceptions.yaml', 'rules/yes.yaml');
        return [];
      },
    ],
    [
      'moves the configuration',
      (here) => {
        here.write('deploy/.keep', '');
        for (const name of ['flagwright.yaml', 'flags', 'exceptions.yaml']) here.git('mv', name, `deploy/${name}`);
        return ['--config', 'deploy/flagwright.yaml', '--base', 'HEAD'];
      },
    ],
    [
      'makes the file a link to the same content',
      (here) => {
        here.git('mv', 'exceptions.yaml', 'real.yaml');
        symlinkSync('real.yaml', path.join(here.root, 'exceptions.yaml'));
        return [];
      },
    ],
    [
      'lists their keys and projects in another order, and adds others',
      (here) => {
        here.write(
          'exceptions.yaml',
          fileOf({ rule: 'freeze', keys: '[x]' } as Entry, ...NEEDED).replace('freeze', 'protected'),
        );
        return [];
      },
    ],
  ])('%s', async (_, change) => {
    const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED) });
    const options = change(here);
    expect(await planned(here, DAY, ...options)).toMatchObject({ code: 2, refused: [] });
  });
});

test('a link in the base is read as its target was', async () => {
  const here = await gitStage(STRICT);
  here.write('shared/yes.yaml', 'exceptions: []\n');
  symlinkSync('shared/yes.yaml', path.join(here.root, 'exceptions.yaml'));
  here.commit();
  expect(await here.runWith(DAY, 'apply', '--yes')).toMatchObject({ code: 0 });
  here.write('flags/main.yaml', BREAKING);
  here.write('shared/yes.yaml', fileOf(...NEEDED));
  expect(await planned(here, DAY)).toEqual({ code: 4, refused: ALL, exceptions: each('not_approved') });
  here.commit();
  expect(await planned(here, DAY, '--base', 'HEAD')).toMatchObject({
    exceptions: ['used deletes', 'used protected', 'used max-widen'],
  });
});

test('a glob lifts nothing of a flag that a rename brings under it', async () => {
  const here = await applied({ 'exceptions.yaml': fileOf({ rule: 'protected', keys: '["old-*", gone]' }) });
  const renamed = (key: string): string =>
    `flags:\n  checkout: { description: One-page checkout, active: true, rollout_percentage: 10 }\n  ${key}: { active: false, previous_keys: [search] }\n`;
  for (const key of ['old-search', 'gone']) {
    here.write('flags/main.yaml', renamed(key));
    expect(await planned(here, DAY)).toMatchObject({ code: 4, refused: ['protected'] });
  }
});

test('too small a number lifts nothing, and the plan says how many it needs', async () => {
  const flags = ['a', 'b', 'c'].map((key) => `  ${key}: { active: true }`).join('\n');
  const here = await applied({
    'exceptions.yaml': fileOf({ rule: 'deletes', most: 2 }),
    'flags/more.yaml': `flags:\n${flags}\n`,
  });
  here.git('checkout', '--quiet', '--', 'flags/main.yaml');
  here.write('flags/more.yaml', `flags:\n${flags.replaceAll('active', 'deleted')}\n`);
  expect(await planned(here, DAY)).toEqual({ code: 4, refused: ['deletes'], exceptions: ['unused deletes'] });
  const text = (await here.runWith(DAY, 'plan')).stdout;
  expect(text).toContain(
    'The exception from deletes for up to 2 (exceptions.yaml:2:5) is too small: the plan makes 3.',
  );
  expect(text).toContain('3 flags would be deleted; the limit is 2 (deletes).');
});

describe('a saved plan', () => {
  const saved = async (): Promise<GitStage> => {
    const here = await applied({ 'exceptions.yaml': fileOf(...NEEDED) });
    expect(await here.runWith(DAY, 'plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
    return here;
  };

  test('is applied while its exceptions count', async () => {
    const here = await saved();
    expect(JSON.parse(here.read('plan.json'))).toMatchObject({
      lifted: [
        { hazard: { code: 'deletes' }, by: { by: 'exception', granted_by: 'ann' } },
        { hazard: { code: 'protected' }, by: { by: 'exception', proof: 'none' } },
      ],
      exceptions: [{ code: 'exception_used' }, { code: 'exception_used' }, { code: 'exception_used' }],
    });
    expect((await here.run('show', 'plan.json')).stdout).toContain('Exception by ann until 2026-06-15');
    expect(await here.runWith(DAY, 'apply', 'plan.json')).toMatchObject({ code: 0 });
  });

  test.each<[string, (here: GitStage) => void, { now: number }]>([
    ['have expired', () => undefined, { now: Date.parse('2026-06-16T00:00:00Z') }],
    ['are removed', (here) => here.write('exceptions.yaml', 'exceptions: []\n'), DAY],
    [
      'are others',
      (here) => here.write('exceptions.yaml', fileOf(...NEEDED.map((one) => ({ ...one, reason: 'x' })))),
      DAY,
    ],
  ])('is refused once its exceptions %s', async (_, change, clock) => {
    const here = await saved();
    change(here);
    const { code, stderr } = await here.runWith(clock, 'apply', 'plan.json');
    expect(code).toBe(4);
    for (const rule of ALL) expect(stderr).toContain(`(${rule})`);
  });

  test('that an option lifted is applied as it was reviewed', async () => {
    const here = await applied();
    const options = ['--allow-deletes', '1', '--allow-protected', 'search'];
    here.write('flags/main.yaml', BREAKING.replace('90', '20'));
    expect(await here.runWith(DAY, 'plan', '--out', 'plan.json', ...options)).toMatchObject({ code: 0 });
    expect(await here.runWith(DAY, 'apply', 'plan.json')).toMatchObject({ code: 0 });
  });
});

describe('a refusal says', () => {
  test('first what to do instead, then from whom to get an exception, then the option, and the page', async () => {
    const here = await applied();
    const { stderr } = await here.runWith(DAY, 'apply', '--yes');
    const at = (text: string): number => {
      expect(stderr).toContain(text);
      return stderr.indexOf(text);
    };
    const places = [
      'Leave it unchanged in the manifests',
      'Or get an exception from ann or bob, in exceptions.yaml: rule: protected, keys: [search]',
      'Or allow it in this run with --allow-protected search',
    ].map(at);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    at('Or get an exception from ann or bob, in exceptions.yaml: rule: deletes, most: 1');
    at('Change the manifests, or get an exception from ann or bob.');
    at('https://flagwright.dev/exceptions');
  });

  test('nothing of exceptions where none counts, as in an undo', async () => {
    const here = await applied();
    here.git('checkout', '--quiet', '--', 'flags/main.yaml');
    const { stderr } = await here.runWith(DAY, 'undo', '--yes');
    expect(stderr).toContain('--allow-');
    expect(stderr).not.toContain('get an exception');
  });
});

test.each([
  ['a rule that nothing lifts', fileOf({ rule: 'replay_linked', keys: '[a]' }), '2:7'],
  ['a place that no flag has', fileOf({ rule: 'drift', keys: '[a]', path: 'activ' }), '2:95'],
])('%s ends each run that the file judges, and validate', async (_, text, where) => {
  const here = await applied({}, STRICT);
  here.write('exceptions.yaml', text);
  for (const command of ['plan', 'apply', 'validate']) {
    const { code, stdout, stderr } = await here.runWith(DAY, command, ...(command === 'apply' ? ['--yes'] : []));
    expect([command, code, stdout + stderr]).toEqual([command, 1, expect.stringContaining(`exceptions.yaml:${where}`)]);
  }
});
