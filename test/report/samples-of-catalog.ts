/** A report of `catalog` with this text wherever others write text. */

import type { ReportOf } from '../../src/report/report.ts';
import { staleSample } from './samples-of-stale.ts';

export function catalogSample(text: string): ReportOf<'catalog'> {
  const [, stale] = staleSample(text).flags;
  if (stale === undefined) throw new Error('The sample has a flag.');
  const author = { at: '2026-01-31T12:00:00.000Z', by: text, source: 'git', commit: 'c'.repeat(40) } as const;
  const effects = [{ what: 'renamed', classes: ['re-bucket'], from: text, to: text }] as const;
  const steps = [{ at: '2026-02-01T08:00:00.000Z', to: 50 }];
  const path = '/filters/groups/0/rollout_percentage';
  const rollout = { key: text, pointer: '/rollout_percentage', path, from: 10, steps, step: -1 } as const;
  const identity = { name: text, host: 'https://eu.posthog.com', project_id: '7' };
  const filters = { groups: [{ properties: [{ key: text, type: 'person', operator: 'exact', value: text }] }] };
  return {
    kind: 'catalog',
    catalog: {
      madeAt: '2026-01-31T12:00:00.000Z',
      commit: 'c'.repeat(40),
      branch: text,
      forge: { forge: 'github', url: 'https://github.com/acme/flags' },
      projects: [
        { identity, source: 'live', readAt: '2026-01-31T12:00:00.000Z' },
        { identity: { ...identity, name: 'staging' }, source: 'unread', reason: text },
      ],
      flags: [
        {
          key: text,
          description: text,
          tags: [text],
          owner: { name: text, by: 'tag' },
          place: { file: text, line: 2, column: 3 },
          states: [
            {
              project: text,
              id: 12,
              word: 'some',
              fields: { active: true, filters },
              differences: [
                {
                  sort: 'drifted',
                  effects,
                  attribution: { kind: 'known', by: text, at: '2026-01-31T12:00:00Z', via: 'web_or_key' },
                },
              ],
              isUnmanaged: false,
              rollouts: [{ rollout, times: [], waits: 'edited' }],
              requests: [{ id: text, url: 'https://eu.posthog.com/a', standing: { kind: 'open', by: text }, effects }],
            },
            {
              project: 'staging',
              word: 'unknown',
              differences: [],
              isUnmanaged: false,
              rollouts: [],
              requests: [],
            },
          ],
          created: author,
          changed: author,
          stale,
          dependsOn: [text],
          dependents: [text],
          answers: [{ person: text, project: text, value: text }],
          changes: [{ ...author, effects, projects: [text] }],
        },
      ],
      gone: [{ key: text, changes: [{ ...author, effects: 'released' }] }],
      freezes: [{ deny: [{ kind: 'dates', from: '2026-12-20', to: '2027-01-02', zone: 'Europe/Berlin' }], except: [] }],
      gaps: [{ what: 'git_changes_before', since: '2025-01-31T12:00:00.000Z', why: 'many' }],
    },
  };
}

/** Reports with what the first one lacks. */
export function otherCatalogs(): readonly ReportOf<'catalog'>[] {
  const { catalog } = catalogSample('a');
  const [flag] = catalog.flags;
  const [state] = flag?.states ?? [];
  if (flag === undefined || state === undefined) throw new Error('The sample has a flag.');
  const { identity } = catalog.projects[0] as (typeof catalog.projects)[number];
  const effects = [{ what: 'switched', classes: ['kill'], on: false }] as const;
  const steps = [{ at: '2026-02-01T08:00:00.000Z', to: true }];
  const rollout = {
    key: 'a',
    pointer: '/active',
    path: '/active',
    from: false,
    steps,
    step: -1,
    overdue: true,
  } as const;
  const words = ['off', 'all', 'split', 'unknown', 'missing'] as const;
  const sorts = ['pending', 'differs', 'drifted'] as const;
  const states = words.map((word, index) => ({
    ...state,
    word,
    differences: [sorts[index % 3] as (typeof sorts)[number]].map((sort) => ({ sort, effects })),
    rollouts: [],
    requests: [],
  }));
  const other = {
    ...catalog,
    projects: words.map((name) => ({ identity: { ...identity, name }, source: 'manifests' }) as const),
    flags: [
      {
        ...flag,
        stale: {
          ...flag.stale,
          step: 'disable',
          live: flag.stale.live.map((one) => ({ ...one, last_called_at: null })),
        },
        states,
        changes: [],
        answers: [{ person: 'p', project: 'a', value: undefined }],
      },
      {
        ...flag,
        key: 'b',
        owner: { name: '@acme/b', by: 'code_owners' as const },
        states: [{ ...state, differences: [], rollouts: [{ rollout, times: [] }] }],
      },
    ],
    gaps: [
      { what: 'service_changes', project: 'a', why: 'forbidden' },
      { what: 'service_changes', project: 'a', why: 'failed', detail: 'It failed.' },
      { what: 'service_changes', project: 'a', why: 'snapshot' },
      { what: 'service_changes_before', project: 'a', since: '2026-01-30T12:00:00Z' },
      { what: 'schedules', project: 'a', why: 'forbidden' },
      { what: 'schedules', project: 'a', why: 'failed' },
      { what: 'schedules', project: 'a', why: 'snapshot' },
      { what: 'requests', project: 'a', why: 'forbidden' },
      { what: 'requests', project: 'a', why: 'failed' },
      { what: 'requests', project: 'a', why: 'snapshot' },
      { what: 'base', project: 'a', reason: { code: 'not_recorded' } },
      { what: 'git_changes', reason: 'git is missing' },
      { what: 'git_changes_before', since: '2025-01-31T12:00:00.000Z', why: 'shallow' },
      { what: 'git_contents', amount: 2 },
      { what: 'owners' },
      { what: 'people' },
      { what: 'code', gap: { code: 'no_reader_found' } },
    ],
    freezes: [
      {
        deny: [
          { kind: 'weekly', days: ['fri'], from: '16:00', to: '24:00', zone: 'Europe/Berlin' },
          { kind: 'weekly', days: ['sat', 'sun'], from: '00:00', to: '24:00', zone: 'Europe/Berlin' },
        ],
        except: ['kill'],
      },
      { deny: [], allow: [{ kind: 'weekly', days: ['mon'], from: '08:00', to: '16:00', zone: 'UTC' }], except: [] },
    ],
  } as const;
  const live = words.map(
    (name) => ({ identity: { ...identity, name }, source: 'snapshot', readAt: catalog.madeAt }) as const,
  );
  const both = { ...state, differences: sorts.filter((sort) => sort !== 'differs').map((sort) => ({ sort, effects })) };
  const compared = {
    ...other,
    projects: live,
    flags: [{ ...flag, states: [...states, both, { ...state, differences: [], isUnmanaged: true }] }],
    forge: { forge: 'gitlab', url: 'https://gitlab.example/acme' },
  } as const;
  return [
    { kind: 'catalog', catalog: other },
    { kind: 'catalog', catalog: compared },
    { kind: 'catalog', catalog: { ...compared, forge: { forge: 'bitbucket', url: 'https://bitbucket.org/acme/b' } } },
  ];
}
