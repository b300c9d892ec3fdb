/** What manifests and services say of a flag, as evidence of whether it can go. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { DEFAULT_OWNER_PREFIXES } from '../../../src/core/manifest/code-owners.ts';
import {
  answerEvidence,
  expiryEvidence,
  flagOfProjects,
  holdersOf,
  ownerOrAuthor,
  serviceEvidence,
  type FlagOfProjects,
  type LiveFlagOf,
  type LiveProject,
} from '../../../src/cli/code/stale-evidence.ts';
import type { PolicySet } from '../../../src/review/policy/built-in.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, liveFlag } from '../../helpers/states.ts';

const NOW = Date.parse('2026-03-31T00:00:00Z');
const OLD = '2026-03-01T00:00:00Z';
const NEW = '2026-03-01T00:00:01Z';
const AGEING = { now: NOW, days: 30 };

const flagOf = (projects: Readonly<Record<string, DeclaredFlag>>): FlagOfProjects =>
  flagOfProjects('a', new Map(Object.entries(projects)));
const liveIn = (
  name: string,
  flags: readonly Flag[],
  dependents: LiveProject['dependents'] = new Map(),
): LiveProject => ({
  project: { name } as LiveProject['project'],
  flags,
  byKey: new Map(flags.map((flag) => [flag.key, flag])),
  dependents,
});
const live = (fields: JsonObject = {}, of: LiveProject = liveIn('production', [])): LiveFlagOf => ({
  of,
  flag: liveFlag(1, 'a', fields),
});

test('a flag has the keys that it had in any project, each once', () => {
  const projects = {
    production: declared('a', {}, { previousKeys: ['old', 'older'] }),
    staging: declared('a', {}, { previousKeys: ['older', 'a'] }),
  };
  expect(flagOf(projects).keys).toEqual(['a', 'old', 'older']);
});

describe('the services', () => {
  const evidence = (
    declaredIn: readonly string[],
    projects: readonly LiveProject[],
  ): ReturnType<typeof serviceEvidence> => {
    const flag = flagOf(
      Object.fromEntries(declaredIn.map((name) => [name, declared('a', { active: true }, { previousKeys: ['old'] })])),
    );
    return serviceEvidence(flag, { projects, refused: [], requests: 0 }, AGEING);
  };
  const called = (fields: JsonObject): unknown =>
    evidence([], [liveIn('production', [liveFlag(1, 'a', fields)])]).calls;

  test.each<[what: string, fields: JsonObject, calls: string]>([
    ['was called lately', { last_called_at: NEW }, 'against'],
    ['was called long ago', { last_called_at: OLD }, 'for'],
    ['was called long ago, and is active', { last_called_at: OLD, status: 'ACTIVE' }, 'against'],
    ['was called long ago, and is off', { last_called_at: OLD, status: 'INACTIVE', active: false }, 'for'],
    ['was called long ago, and is stale', { last_called_at: OLD, status: 'STALE' }, 'for'],
    ['was called lately, although it is stale', { last_called_at: NEW, status: 'STALE' }, 'against'],
    ['is stale, and nothing tells when it was called', { last_called_at: null, status: 'STALE' }, 'for'],
    ['was called at no time that can be read', { last_called_at: 'never', status: 'ACTIVE' }, 'unknown'],
    ['has no status', {}, 'unknown'],
  ])('say of one that %s: %j', (_what, fields, calls) => {
    expect(called(fields)).toEqual([calls]);
  });

  test.each<[what: string, flags: readonly JsonObject[], state: string]>([
    ['none has it', [], 'absent'],
    ['one has it on', [{ active: false }, { active: true }], 'on'],
    ['one does not say that it is off', [{ active: undefined, archived: undefined }], 'on'],
    [
      'all have it in the archive',
      [
        { active: true, archived: true },
        { active: false, archived: true },
      ],
      'archived',
    ],
    [
      'one has it off and not in the archive',
      [
        { active: false, archived: true },
        { active: false, archived: false },
      ],
      'unarchived',
    ],
  ])('have a flag in one state together: %s', (_what, all, state) => {
    const projects = all.map((fields, index) => liveIn(`p${index}`, [liveFlag(1, 'a', fields)]));
    expect(evidence([], projects).state).toBe(state);
  });

  test('may have no archive: then a flag is off', () => {
    const { archived: _, ...flag } = liveFlag(1, 'a', { active: false });
    expect(evidence([], [liveIn('production', [flag])]).state).toBe('off');
  });

  test('are asked by the key of today first, then by former ones; a declared flag that was not read is unknown', () => {
    const production = liveIn('production', [liveFlag(1, 'old'), liveFlag(2, 'a')]);
    const staging = liveIn('staging', [liveFlag(3, 'old'), liveFlag(4, 'b')]);
    const found = evidence(['production', 'test'], [production, staging, liveIn('empty', [])]);
    expect(found.flags.map(({ flag: { id } }) => id)).toEqual([2, 3]);
    expect([found.calls, found.state]).toEqual([['unknown', 'unknown', 'unknown'], 'absent']);
    expect(evidence(['production'], [production]).state).toBe('on');
  });

  test('tell when a flag changed only where each of them knows', () => {
    const at = (updated_at: string | null): LiveProject => liveIn('p', [liveFlag(1, 'a', { updated_at })]);
    expect(evidence([], [at(OLD), at(NEW)]).changed).toEqual([OLD, NEW]);
    expect(evidence([], [at(OLD), at(null)]).changed).toEqual([]);
    expect(evidence([], [at(OLD), at('some day')]).changed).toEqual([]);
  });

  test.each<[what: string, fields: JsonObject, isAsDeclared: boolean]>([
    ['knows the time', { updated_at: OLD, active: false }, true],
    ['has it as declared', { active: true }, true],
    ['has it otherwise', { active: false }, false],
  ])('let the time of git count where the service %s', (_what, fields, isAsDeclared) => {
    const projects = [liveIn('production', [liveFlag(1, 'a', fields)])];
    expect(evidence(['production'], projects).isAsDeclared).toBe(isAsDeclared);
  });

  test('say of each flag what is told of it', () => {
    const fields = { active: false, archived: true, status: 'STALE', last_called_at: null, created_at: OLD };
    const projects = [
      liveIn('production', [liveFlag(1, 'a', fields)]),
      liveIn('staging', [liveFlag(2, 'a', { status: 7, last_called_at: 7 })]),
    ];
    expect(evidence([], projects).evidence).toEqual([
      { project: 'production', id: 1, ...fields },
      { project: 'staging', id: 2, active: true, archived: false },
    ]);
  });
});

describe('everyone gets the same', () => {
  const all = { active: true, filters: { groups: [{ properties: [], rollout_percentage: 100 }] } };
  const some = { active: true, filters: { groups: [{ properties: [], rollout_percentage: 50 }] } };
  const off = { active: false };
  const of = (
    fields: Readonly<Record<string, JsonObject>>,
    lives: Readonly<Record<string, JsonObject>> = {},
  ): unknown[] => {
    const flag = flagOf(Object.fromEntries(Object.entries(fields).map(([name, own]) => [name, declared('a', own)])));
    const found = Object.entries(lives).map(([name, own]) => live(own, liveIn(name, [])));
    const { tendency, answer } = answerEvidence(flag, found);
    return [tendency, answer];
  };

  test('where all manifests and services say so', () => {
    expect(of({ production: all, staging: all }, { production: all })).toEqual(['for', true]);
    expect(of({ production: off, staging: off })).toEqual(['for', false]);
    expect(of({}, { production: all })).toEqual(['for', true]);
  });

  test('not where one says something else, or that it depends', () => {
    expect(of({ production: all, staging: off })).toEqual(['against', undefined]);
    expect(of({ production: all }, { production: off })).toEqual(['against', undefined]);
    expect(of({ production: some })).toEqual(['against', undefined]);
    expect(of({ production: all }, { staging: some })).toEqual(['against', undefined]);
  });

  test('by what is live where the manifest does not say it; nothing is known without either', () => {
    expect(of({ production: { active: true } }, { production: all })).toEqual(['for', true]);
    expect(of({})).toEqual(['unknown', undefined]);
  });

  test('by what is live alone where others decide about the conditions, and not without that', () => {
    const ownership = [
      { path: { text: 'filters', steps: [{ kind: 'member', name: 'filters' }] }, ownership: 'observed' },
    ];
    const flag = flagOf({ production: { ...declared('a', off), ownership } as unknown as DeclaredFlag });
    expect(answerEvidence(flag, [live(all, liveIn('production', []))])).toEqual({ tendency: 'for', answer: true });
    expect(answerEvidence(flag, [])).toEqual({ tendency: 'against', answer: undefined });
  });
});

describe('the last day', () => {
  const policies = {
    rules: [
      { rule: 'expires', tag: 'expires:' },
      { rule: 'require', tag: 'until:' },
    ],
  } as unknown as PolicySet;
  const of = (
    tags: readonly string[],
    liveTags: readonly string[] = [],
    known: PolicySet | undefined = policies,
  ): unknown[] => {
    const flag = flagOf({ production: declared('a', { tags: [...tags] }) });
    const { expiry, expires } = expiryEvidence(flag, [live({ tags: [...liveTags] })], { policies: known, now: NOW });
    return [expiry, expires];
  };

  test.each<[what: string, tags: readonly string[], liveTags: readonly string[], found: readonly unknown[]]>([
    ['has passed', ['expires:2026-03-30'], [], ['for', '2026-03-30']],
    ['is today', ['expires:2026-03-31'], [], ['against', '2026-03-31']],
    ['of several counts', ['expires:2026-03-01'], ['expires:2026-04-01'], ['against', '2026-04-01']],
    ['of a live tag counts', [], ['expires:2026-03-30'], ['for', '2026-03-30']],
    ['is no day', ['expires:soon'], [], ['unknown', undefined]],
    ['of one is no day', ['expires:2026-03-30'], ['expires:soon'], ['unknown', '2026-03-30']],
    ['of another policy does not count', ['until:2026-03-30'], [], ['unknown', undefined]],
  ])('%s', (_what, tags, liveTags, found) => {
    expect(of(tags, liveTags)).toEqual(found);
  });

  test('is nothing without policies', () => {
    const flag = flagOf({ production: declared('a', { tags: ['expires:2026-03-30'] }) });
    expect(expiryEvidence(flag, [], { policies: undefined, now: NOW })).toEqual({
      expiry: 'unknown',
      expires: undefined,
    });
  });
});

test('what uses a flag is named by project and kind', () => {
  const of = liveIn(
    'production',
    [],
    new Map([
      [1, ['b', 'c']],
      [2, ['d']],
    ]),
  );
  const fields = {
    experiment_set: [7],
    experiment_set_metadata: [
      { id: 7, name: 'Old', is_running: false },
      { id: 8, name: 'New', is_running: true },
      { id: 9 },
    ],
    features: [{ id: 'f', name: 'Feature' }],
    surveys: [{ id: 's', name: 'Survey' }, { id: 's2' }],
    is_used_in_replay_settings: true,
  };
  expect(holdersOf([live(fields, of), live({}, liveIn('staging', []))])).toEqual([
    { project: 'production', what: 'flags', names: ['b', 'c'] },
    { project: 'production', what: 'experiments', names: ['New', '9'] },
    { project: 'production', what: 'early_access_features', names: ['Feature'] },
    { project: 'production', what: 'surveys', names: ['Survey', 's2'] },
    { project: 'production', what: 'session_replay', names: ['a'] },
  ]);
  // Older services do not say which experiments run.
  expect(holdersOf([live({ experiment_set: [7, {}] }, liveIn('staging', []))])).toEqual([
    { project: 'staging', what: 'experiments', names: ['7', '?'] },
  ]);
});

describe('the owner of a flag is', () => {
  interface Known {
    readonly owners?: readonly string[];
    readonly author?: string;
  }
  const of = (tags: readonly string[], { owners = [], author }: Known = {}, fields: JsonObject = {}): unknown =>
    ownerOrAuthor(flagOf({ production: declared('a', { tags: [...tags] }) }), [live(fields)], {
      rules: { prefixes: DEFAULT_OWNER_PREFIXES, ownersOf: () => owners },
      ...(author !== undefined && { author }),
    });
  const others = { owners: ['@growth', '@core'], author: 'Ada' };

  test.each<[what: string, tags: readonly string[], more: Known, fields: JsonObject, owner: unknown]>([
    ['named by a tag', ['x', 'owner:growth', 'team:core'], others, {}, { name: 'growth', by: 'tag' }],
    ['named by the tag of a team', ['owner:', 'my-team:x', 'team:core:eu'], others, {}, { name: 'core:eu', by: 'tag' }],
    ['named by a live tag', [], others, { tags: ['owner:ops'] }, { name: 'ops', by: 'tag' }],
    ['who owns the file', ['x'], others, {}, { name: '@growth @core', by: 'code_owners' }],
    ['who declared it', [], { owners: [], author: 'Ada' }, {}, { name: 'Ada', by: 'git' }],
    [
      'who created it',
      [],
      { author: '' },
      { created_by: { first_name: 'Bo', email: 'b@x.org' } },
      { name: 'Bo', by: 'service' },
    ],
    ['who created it, by address', [], {}, { created_by: { email: 'b@x.org' } }, { name: 'b@x.org', by: 'service' }],
    ['nobody with an empty name', [], {}, { created_by: { first_name: '' } }, undefined],
    ['nobody that is known', [], {}, { created_by: 7 }, undefined],
  ])('%s', (_what, tags, more, fields, owner) => {
    expect(of(tags, more, fields)).toEqual(owner);
  });

  test('nobody without manifests and services', () => {
    expect(ownerOrAuthor(flagOf({}), [], { rules: { prefixes: [], ownersOf: () => ['@a'] } })).toBeUndefined();
  });
});
