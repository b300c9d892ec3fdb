/** Views of a catalogue: one as a team has it, random ones, a large one, and one whose every string is somebody else's. */

import fc from 'fast-check';
import type {
  CalendarEntry,
  CatalogFlagView,
  CatalogProjectView,
  CatalogStanding,
  CatalogStateView,
  CatalogView,
  CatalogWord,
} from '../../../src/report/model/catalog.ts';

export const CATALOG_WORDS: readonly CatalogWord[] = ['off', 'some', 'all', 'split', 'unknown', 'missing'];
const CATALOG_STANDINGS: readonly CatalogStanding[] = [
  ...(['in_sync', 'pending', 'drifted'] as const),
  ...(['both', 'differs', 'unmanaged', 'unread'] as const),
];
const REMOVALS = ['remove_code', 'deploy', 'release', 'disable', 'archive', 'delete'] as const;
const STEPS = ['none', 'wait', 'find_out', 'decide', 'remove_code', 'release', 'disable', 'archive', 'delete'] as const;

const REPOSITORY = 'https://github.com/acme/flags';
const COMMIT = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

function projectsNamed(names: readonly string[], at = '2026-11-25T08:59:12Z'): CatalogProjectView[] {
  return names.map((name, index) => ({
    name,
    host: 'https://eu.posthog.com',
    project_id: String(index + 1),
    url: `https://eu.posthog.com/project/${index + 1}/feature_flags`,
    source: 'live',
    read_at: at,
  }));
}

function stateIn(project: string, state: Omit<CatalogStateView, 'project'>): CatalogStateView {
  return { project, url: 'https://eu.posthog.com/project/1/feature_flags/1201', ...state };
}

/** Wednesday, 25 November 2026. */
export const TEAM_VIEW: CatalogView = {
  made_at: '2026-11-25T09:00:00Z',
  commit: COMMIT,
  branch: 'main',
  projects: [
    ...projectsNamed(['production', 'staging']),
    {
      name: 'demo',
      host: 'https://us.posthog.com',
      project_id: '9',
      source: 'unread',
      reason: 'The API key is not valid.',
    },
  ],
  notes: [
    {
      what: 'git_changes_before',
      words: 'Git history before Thu 1 Jan 2026 was not read, so older changes are missing.',
    },
  ],
  flags: [
    {
      key: 'checkout-germany',
      description: 'One-page checkout for customers in Germany',
      tags: ['team:payments', 'checkout'],
      owner: { name: 'payments', by: 'tag' },
      place: { file: 'flags/checkout.yaml', line: 12, url: `${REPOSITORY}/blob/${COMMIT}/flags/checkout.yaml#L12` },
      states: [
        stateIn('production', {
          word: 'some',
          who: '25% of people whose country is Germany',
          standing: 'in_sync',
          rollouts: [
            {
              now: 'step 2 of 4: 25% of people whose country is Germany',
              next: { at: '2026-12-01T09:00:00Z', words: '50% of people whose country is Germany' },
              waits: 'the freeze until Mon 30 Nov 2026 06:00 UTC',
            },
          ],
        }),
        stateIn('staging', { word: 'all', who: 'everyone', standing: 'in_sync' }),
        stateIn('demo', { word: 'unknown', who: '', standing: 'unread' }),
      ],
      created: {
        at: '2026-09-02T10:00:00Z',
        by: 'Ann Ito',
        source: 'git',
        commit: COMMIT,
        url: `${REPOSITORY}/commit/${COMMIT}`,
      },
      changed: {
        at: '2026-11-24T10:12:00Z',
        by: 'Ann Ito',
        source: 'git',
        commit: COMMIT,
        url: `${REPOSITORY}/commit/${COMMIT}`,
      },
      last_called: '2026-11-25T08:51:00Z',
      code: {
        verdict: 'read',
        places: [
          { file: 'web/src/checkout.ts', line: 41, url: `${REPOSITORY}/blob/${COMMIT}/web/src/checkout.ts#L41` },
        ],
        more: 2,
      },
      depends_on: ['new-prices'],
      answers: [
        { person: 'berta from Berlin', project: 'production', value: 'on' },
        { person: 'paul from Paris', project: 'production', value: 'off' },
      ],
      next: {
        step: 'wait',
        words: 'wait for the next step',
        reason: 'The rollout goes on by itself on Tue 1 Dec 2026.',
      },
      changes: [
        {
          at: '2026-11-24T10:12:00Z',
          by: 'Ann Ito',
          words: '10% → 25% of people whose country is Germany',
          projects: ['production'],
          source: 'git',
          commit: COMMIT,
          url: `${REPOSITORY}/commit/${COMMIT}`,
        },
        {
          at: '2026-09-02T10:00:00Z',
          by: 'Ann Ito',
          words: 'created, off',
          source: 'git',
          commit: COMMIT,
          url: `${REPOSITORY}/commit/${COMMIT}`,
        },
      ],
    },
    {
      key: 'dark-mode',
      description: 'Dark colours in the app',
      owner: { name: '@acme/design', by: 'code_owners' },
      states: [
        stateIn('production', { word: 'all', who: 'everyone', standing: 'in_sync' }),
        stateIn('staging', { word: 'all', who: 'everyone', standing: 'in_sync' }),
        stateIn('demo', { word: 'unknown', who: '', standing: 'unread' }),
      ],
      last_called: null,
      code: { verdict: 'not_found', places: [], more: 0 },
      removal: 'disable',
      next: {
        step: 'disable',
        words: 'turn it off',
        reason: 'No code reads it and nothing has asked for it since Fri 2 Oct 2026.',
      },
    },
    {
      key: 'new-prices',
      description: 'The prices of 2027',
      expires: '2026-12-03',
      states: [
        stateIn('production', {
          word: 'off',
          who: 'nobody',
          standing: 'drifted',
          differences: [
            { standing: 'drifted', words: 'on for 5% of everyone → off', by: 'Paul Roy', at: '2026-11-24T17:40:00Z' },
          ],
        }),
        stateIn('staging', {
          word: 'split',
          who: 'everyone: control 50%, test 50%',
          standing: 'pending',
          differences: [{ standing: 'pending', words: 'control 90%, test 10% → control 50%, test 50%' }],
        }),
        stateIn('demo', { word: 'missing', who: '', standing: 'unread' }),
      ],
      dependents: ['checkout-germany'],
      changes: [
        {
          at: '2026-11-24T17:40:00Z',
          by: 'Paul Roy',
          words: 'turned off for 5% of everyone',
          projects: ['production'],
          source: 'service',
        },
      ],
    },
    {
      key: 'old-banner',
      states: [
        stateIn('production', { word: 'off', who: 'nobody', standing: 'unmanaged' }),
        stateIn('staging', { word: 'missing', who: '', standing: 'in_sync' }),
        stateIn('demo', { word: 'missing', who: '', standing: 'unread' }),
      ],
      removal: 'archive',
      next: {
        step: 'archive',
        words: 'archive it',
        reason: 'It has been off since Mon 2 Mar 2026 and no code reads it.',
      },
    },
  ],
  calendar: [
    {
      at: '2026-11-23T18:00:00Z',
      kind: 'step',
      project: 'production',
      key: 'checkout-germany',
      words: '10% → 25% of people whose country is Germany',
    },
    { at: '2026-11-26T18:00:00Z', until: '2026-11-30T06:00:00Z', kind: 'freeze', words: 'No changes: Black Friday' },
    {
      at: '2026-12-01T09:00:00Z',
      kind: 'step',
      project: 'production',
      key: 'checkout-germany',
      words: '25% → 50% of people whose country is Germany',
    },
    { at: '2026-12-02T07:00:00Z', kind: 'schedule', project: 'staging', key: 'new-prices', words: 'turns off' },
    { at: '2026-12-03', kind: 'expiry', key: 'new-prices', words: 'its last day' },
    { at: '2026-12-24', until: '2027-01-04', kind: 'freeze', project: 'production', words: 'No changes: holidays' },
  ],
};

const WORD_TEXTS = [
  'new',
  'checkout',
  'Germany',
  'pro',
  'plan',
  'beta',
  'search',
  'Growth',
  'payments',
  'x',
  'ÄRGER',
] as const;

/** Words of a few, so that searches match. */
const words = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WORD_TEXTS), { minLength: 1, maxLength: max }).map((some) => some.join(' '));

const OPEN = { id: 'b', state: 'open' as const, words: 'waits for approval' };

const PROJECT_NAMES = ['prod', 'staging', 'Dev'] as const;

export const anyView: fc.Arbitrary<CatalogView> = fc
  .record({
    names: fc.subarray([...PROJECT_NAMES], { minLength: 1 }),
    flags: fc.array(
      fc.record({
        description: fc.option(words(4)),
        tags: fc.uniqueArray(fc.constantFrom('checkout', 'team:growth', 'Beta', 'two words')),
        owner: fc.option(fc.constantFrom('growth', '@acme/payments', 'Team Web')),
        states: fc.array(
          fc.record({
            word: fc.constantFrom(...CATALOG_WORDS),
            standing: fc.constantFrom(...CATALOG_STANDINGS),
            who: words(4),
            rollouts: fc.constantFrom([], [{ now: 'step 1' }], [{ now: 'step 1', waits: 'the freeze' }]),
            requests: fc.constantFrom([], [{ id: 'a', state: 'rejected' as const, words: 'no' }], [OPEN]),
          }),
          { minLength: 3, maxLength: 3 },
        ),
        expires: fc.option(fc.constantFrom('2026-11-01', '2026-11-26', '2026-12-02', '2026-12-25', '2027-02-01')),
        step: fc.option(fc.constantFrom(...STEPS)),
        removal: fc.option(fc.constantFrom(...REMOVALS)),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ names, flags }) => ({
    ...TEAM_VIEW,
    notes: [],
    calendar: [],
    projects: projectsNamed(names),
    flags: flags.map(({ description, tags, owner, states, expires, step, removal }, index): CatalogFlagView => ({
      key: `${WORD_TEXTS[index]?.toLowerCase()}-${index}`,
      tags,
      ...(description === null ? {} : { description }),
      ...(owner === null ? {} : { owner: { name: owner, by: 'tag' as const } }),
      ...(expires === null ? {} : { expires }),
      ...(removal === null ? {} : { removal }),
      ...(step === null ? {} : { next: { step, words: `step ${step}`, reason: 'A reason.' } }),
      states: names.map((project, at) => ({ project, ...(states[at] ?? states[0]!) })),
    })),
  }));

/** As many flags as a large company has, each with what a flag has. */
export function largeView(amount: number, madeAt = '2026-11-25T09:00:00Z'): CatalogView {
  const names = ['production', 'staging', 'development'];
  const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
  const areas = ['checkout', 'search', 'onboarding', 'billing', 'reports', 'mobile', 'admin'];
  const people = ['Ann Ito', 'Bob Stein', 'Carla Lopez', 'Dai Nguyen'];
  const who = [
    'nobody',
    '25% of people whose plan is pro and whose country is Germany',
    'everyone',
    'everyone: control 50%, test 50%',
  ];
  const day = (before: number): string =>
    new Date(Date.parse(madeAt) - before * 86_400_000).toISOString().replace(/\.\d+/, '');
  const commitOf = (index: number): string => `${String(index * 7919 + 12_345).padStart(8, '0')}${COMMIT.slice(8)}`;
  const flags = Array.from({ length: amount }, (_, index): CatalogFlagView => {
    const key = `${pick(areas, index)}-feature-${String(index).padStart(4, '0')}`;
    const commit = commitOf(index);
    const author = { by: pick(people, index), source: 'git' as const, commit, url: `${REPOSITORY}/commit/${commit}` };
    return {
      key,
      description: `What the ${pick(areas, index)} shows to people of the trial number ${index}, in all apps`,
      tags: [`team:${pick(areas, index + 1)}`, ...(index % 3 === 0 ? ['experiment'] : [])],
      ...(index % 10 === 9 ? {} : { owner: { name: `team-${pick(areas, index + 1)}`, by: 'tag' as const } }),
      place: {
        file: `flags/${pick(areas, index)}.yaml`,
        line: index + 1,
        url: `${REPOSITORY}/blob/${COMMIT}/flags/${pick(areas, index)}.yaml#L${index + 1}`,
      },
      states: names.map((project, at) => ({
        project,
        word: pick(['off', 'some', 'all', 'split'] as const, index + at),
        who: pick(who, index + at),
        standing: index % 50 === at ? 'pending' : index % 70 === at ? 'drifted' : 'in_sync',
        url: `https://eu.posthog.com/project/${at + 1}/feature_flags/${index + 1000}`,
        ...(index % 50 === at
          ? { differences: [{ standing: 'pending' as const, words: '10% → 25% of everyone' }] }
          : {}),
        ...(index % 20 === at
          ? {
              rollouts: [
                { now: 'step 1 of 3: 10% of everyone', next: { at: day(-(index % 40)), words: '50% of everyone' } },
              ],
            }
          : {}),
      })),
      created: { at: day(40 + (index % 400)), ...author },
      changed: { at: day(index % 300), ...author },
      last_called: day(index % 5),
      ...(index % 4 === 0 ? { expires: day(-(index % 120)).slice(0, 10) } : {}),
      code: {
        verdict: 'read',
        places: [
          {
            file: `web/src/${pick(areas, index)}/view.ts`,
            line: index + 3,
            url: `${REPOSITORY}/blob/${COMMIT}/web/src/${pick(areas, index)}/view.ts#L${index + 3}`,
          },
        ],
        more: index % 3,
      },
      ...(index % 8 === 7
        ? { depends_on: [`${pick(areas, index - 7)}-feature-${String(index - 7).padStart(4, '0')}`] }
        : {}),
      ...(index % 9 === 0 ? { removal: 'remove_code' as const } : {}),
      next: {
        step: index % 9 === 0 ? 'remove_code' : 'none',
        words: index % 9 === 0 ? 'remove the code that reads it' : 'nothing to do',
        reason: 'Everyone has had the same answer for 90 days.',
      },
      changes: [0, 1].map((at) => ({
        at: day((index % 300) + at * 30),
        ...author,
        words: at === 0 ? '10% → 25% of people whose plan is pro' : 'created, off',
        projects: ['production'],
      })),
    };
  });
  const calendar = flags.flatMap(({ key, expires }): CalendarEntry[] =>
    expires === undefined || expires < madeAt ? [] : [{ at: expires, kind: 'expiry', key, words: 'its last day' }],
  );
  return {
    made_at: madeAt,
    commit: COMMIT,
    branch: 'main',
    projects: projectsNamed(names),
    flags,
    calendar: calendar.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
    notes: [],
  };
}

/** Every string of the view that can be any is this one; keys and projects, which name things, are followed by a number. */
export function hostileView(text: string): CatalogView {
  const place = { file: text, line: 1, url: text, repository: text };
  const author = { at: text, by: text, source: 'git' as const, commit: text, url: `https://example.com/${text}` };
  const change = { ...author, at: TEAM_VIEW.made_at, words: text, projects: [text] };
  const projects = [0, 1].map((index): CatalogProjectView => ({
    name: `${text}${index}`,
    host: text,
    project_id: text,
    url: text,
    ...(index === 0 ? { source: 'live', read_at: text } : { source: 'unread', reason: text }),
  }));
  const keys = [0, 1, 2].map((index) => `${text}${index}`);
  const flags = keys.map((key): CatalogFlagView => ({
    key,
    description: text,
    tags: [text],
    owner: { name: text, by: 'tag' },
    place,
    states: projects.map(({ name }) => ({
      project: name,
      word: 'some',
      who: text,
      standing: 'both',
      url: text,
      differences: [{ standing: 'drifted', words: text, by: text, at: text }],
      rollouts: [{ now: text, next: { at: text, words: text }, waits: text }],
    })),
    created: author,
    changed: author,
    expires: text,
    last_called: text,
    code: { verdict: 'read', places: [place], more: 1 },
    depends_on: keys,
    dependents: [...keys, text],
    answers: [{ person: text, project: text, value: text }],
    next: { step: text, words: text, reason: text },
    changes: [change],
  }));
  const calendar = (['step', 'expiry', 'freeze', 'schedule'] as const).map((kind, index) => ({
    ...{ at: index === 0 ? text : TEAM_VIEW.made_at, until: text, kind, project: projects[0]?.name ?? '', words: text },
    key: keys[index] ?? text,
  }));
  return {
    made_at: TEAM_VIEW.made_at,
    commit: text,
    branch: text,
    projects,
    flags,
    calendar,
    notes: [{ what: 'people', words: text }],
  };
}
