import { describe, expect, it } from 'vitest';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import { parsePlanDocument } from '../../../src/posthog/planning/plan-document.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { render, renderText } from '../../../src/report/formats/render.ts';
import { PLAIN, type View } from '../../../src/report/view.ts';
import {
  allowing,
  declared,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planOptions,
  rolledOut,
} from '../../helpers/states.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { renderWhole } from '../render-whole.ts';
import { driftSummary } from '../../../src/report/words/summaries.ts';

const VIEW: View = { palette: PLAIN, verbose: false, terminal: false };

/** A flag with a value of each class, one that was switched off, one that is gone, roles, and one that is released. */
function planOf(options: Partial<BuildOptions> = {}): Plan {
  const desired = desiredState(
    declared('all', { name: 'new', tags: ['x'], filters: rolledOut(30) }, { roles: ['r1'] }),
    declared('gone', { name: 'A' }),
    declared('off', { active: true }),
  );
  const base = desiredState(
    declared('all', { name: 'old', tags: ['x'], filters: rolledOut(10) }, { roles: ['r1'] }),
    declared('gone', { name: 'A' }),
    declared('left', { name: 'L' }),
    declared('off', { active: true }),
  );
  const flags = [
    liveFlag(1, 'all', { name: 'old', tags: ['y'], filters: rolledOut(20) }),
    liveFlag(2, 'off', { active: false }),
    liveFlag(3, 'left', { name: 'L' }),
  ];
  return buildPlan(desired, liveState(flags, { 1: [entry(7, 'r2')] }), {
    ...planOptions(),
    base: { facts: { kind: 'commit', commit: 'c0ffee'.padEnd(40, '0'), from: 'ref' }, desired: base },
    ...options,
  });
}

describe('a plan with a base', () => {
  it('shows which changes revert a live edit, and how to decide about the others', async () => {
    const text = await renderText({ kind: 'plan', plan: planOf() }, VIEW);
    expect(text).toContain('+ create  gone  flags/test.yaml:1:1  reverts an edit in PostHog\n');
    expect(text).toContain('20% → 30%  conflicts with an edit in PostHog (last applied: 10%)\n');
    expect(text).toContain('[y] → [x]  reverts an edit in PostHog\n');
    expect(text).toMatch(/description +old → new\n/);
    expect(text).toMatch(/» grant +all to name of r1 .* reverts an edit in PostHog\n/);
    expect(text).toContain('Since the last apply (c0ffee000000): 1 change in git, 5 edits in PostHog, 1 conflict\n');
    expect(text)
      .toContain(`  all was changed in the service and in the manifests since the last apply, and the changes do not fit together: condition 1 · rollout_percentage (conflict). flags/test.yaml:1:1
    To write what is live into the manifests, run flagwright accept all -p test
    To leave it to the service, declare for the flag ownership: { conditions.1.rollout_percentage: observed }
    Or use what the manifests declare, in this run with --override all
`);
    expect(text)
      .toContain(`  off was disabled in the service since the last apply, and the plan would enable it again (switched_off). flags/test.yaml:1:1
    To write what is live into the manifests, run flagwright accept off -p test
    To leave it to the service, declare for the flag ownership: { active: observed }
    Or turn it back on in this run with --override off
`);
    expect(text).toContain(`Released (no longer in a manifest):
  ? left  flags/test.yaml:1:1
  To delete such a flag, declare it under flags as KEY: { deleted: true }
  To rename one instead, declare under its new key previous_keys: [left]
`);
  });

  it('names what it overrides', async () => {
    const plan = planOf({ exceptions: allowing({ override: ['*'] }) });
    const text = await renderText({ kind: 'plan', plan }, VIEW);
    expect(text).toMatch(/lifted {2}all was changed in the service .* Allowed by --override\./);
    expect(text).not.toContain('flagwright accept');
    const markdown = await render({ kind: 'plan', plan }, 'markdown', VIEW);
    expect(markdown).toContain('**Exceptions and approvals**');
  });

  it('lists what it leaves', async () => {
    const text = await renderText({ kind: 'plan', plan: planOf({ keepDrift: true }) }, VIEW);
    expect(text).toContain(`Left as it is in the service (shown as live → declared):
  = all
      tags  [y] → [x]  flags/test.yaml:1:1
  = all
      access of role r1  (none) → editor  flags/test.yaml:1:1
  = all
      access of role r2  editor → (none)  flags/test.yaml:1:1
  = gone does not exist in the project
  = off
      active  false → true  flags/test.yaml:1:1
`);
    expect(text).toContain(
      'Since the last apply (c0ffee000000): 1 change in git, 1 conflict; left: 5 edits in PostHog\n',
    );
  });

  it('has the same facts as Markdown', async () => {
    const markdown = await render({ kind: 'plan', plan: planOf({ keepDrift: true }) }, 'markdown', VIEW);
    expect(markdown).toContain('Since the last apply (c0ffee000000): 1 change in git, 1 conflict');
    expect(markdown).toContain('Or use what the manifests declare, in this run with `--override all`.');
    expect(markdown).toContain('**5 left as in the service**');
    expect(markdown).toContain('**1 released (no longer in a manifest)**');
    expect(markdown).toContain('To delete such a flag, declare it under flags as KEY: { deleted: true }');
  });

  it.each<[string, Partial<BuildOptions>]>([
    ['a whole plan', {}],
    ['a plan that leaves drift', { keepDrift: true }],
    ['a plan that overrides', { exceptions: allowing({ override: ['*'] }) }],
  ])('is valid JSON of its schema, and is read again: %s', async (_, options) => {
    const plan = planOf(options);
    const json = await render({ kind: 'plan', plan }, 'json', VIEW);
    expect(schemaErrors('plan', JSON.parse(json as string))).toEqual([]);
    expect(parsePlanDocument(json as string)).toEqual(plan);
  });
});

describe('drift with a base', () => {
  const facts = { kind: 'commit', commit: 'c0ffee'.padEnd(40, '0'), from: 'ref' } as const;
  const planFrom = (now: string, live: string, options: Partial<BuildOptions> = {}): Plan => {
    const base = { facts, desired: desiredState(declared('a', { name: 'old' }), declared('b')) };
    const flags = [liveFlag(1, 'a', { name: live }), liveFlag(2, 'b')];
    return buildPlan(desiredState(declared('a', { name: now }), declared('b')), liveState(flags), {
      ...planOptions(),
      base,
      ...options,
    });
  };

  it('does not call it drift what only the manifests changed', () => {
    expect(driftSummary(planFrom('new', 'old'))).toBe('No drift: 1 flag not applied yet · 1 in sync');
    expect(driftSummary(planFrom('old', 'new'))).toBe('Drift: 1 different · 1 in sync');
    expect(driftSummary(planFrom('new', 'other'))).toBe('Drift: 1 different · 1 in sync');
    expect(driftSummary(planOf())).toBe(
      'Drift: 1 missing, 2 different, 1 without declared role, 1 with undeclared role · 0 in sync · 1 unmanaged',
    );
    const both = planFrom('new', 'old');
    const [waiting] = both.changes;
    const more = { ...both, changes: [waiting!, ...planFrom('old', 'new').changes] };
    expect(driftSummary(more)).toBe('Drift: 1 different · 1 flag not applied yet · 1 in sync');
  });

  it('names the base where every difference is ignored, too', async () => {
    const leaving = { by: 'difference', isLeft: () => true } as const;
    const report = { kind: 'drift', plan: planFrom('old', 'new', { leaving: [leaving] }) } as const;
    const words = 'Since the last apply (c0ffee000000); ignored: 1 edit in PostHog';
    expect(await renderText(report, VIEW)).toContain(`${words}\nNo other drift: 1 flag is ignored · 1 in sync\n`);
    expect(await render(report, 'markdown', VIEW)).toContain(words);
  });
});

describe.each([
  [
    'behind',
    {
      plan: 'This checkout is older than the commit applied last (c0ffee000000): the plan reverts what was merged in between. If that is not intended, get the newer manifests first: `git pull`',
      drift:
        'This checkout is older than the commit applied last (c0ffee000000): what was merged in between is shown as a difference. To compare with it, get the newer manifests first: `git pull`',
    },
  ],
  [
    'apart',
    {
      plan: 'This checkout does not contain the commit applied last (c0ffee000000): the plan reverts what only that commit declares. If that is not intended, merge or rebase first: `git rebase c0ffee000000`',
      drift:
        'This checkout does not contain the commit applied last (c0ffee000000): what only that commit declares is shown as a difference. To compare with it, merge or rebase first: `git rebase c0ffee000000`',
    },
  ],
] as const)('a checkout that is %s', (checkout, words) => {
  const facts = { kind: 'commit', commit: 'c0ffee'.padEnd(40, '0'), from: 'ref', checkout } as const;
  const planFrom = (name: string): Plan => {
    const desired = desiredState(declared('a', { name }));
    const base = { facts, desired: desiredState(declared('a', { name: 'new' })) };
    return buildPlan(desired, liveState([liveFlag(1, 'a', { name: 'new' })]), { ...planOptions(), base });
  };

  it('is a warning where it changes something', async () => {
    const plan = planFrom('old');
    for (const kind of ['plan', 'drift'] as const) {
      expect(await renderText({ kind, plan }, VIEW)).toContain(`warning  ${words[kind]}`);
      expect(await render({ kind, plan }, 'markdown', VIEW)).toContain(`- ${words[kind]}`);
      const page = await renderWhole({ kind, plan }, 'html');
      expect(page.replaceAll(/<\/?code>/g, '`')).toContain(`<li>${words[kind]}`);
    }
    const json = await render({ kind: 'plan', plan }, 'json', VIEW);
    expect(schemaErrors('plan', JSON.parse(json as string))).toEqual([]);
    expect(parsePlanDocument(json as string)).toEqual(plan);
    expect(await renderText({ kind: 'plan', plan: planFrom('new') }, VIEW)).not.toContain(words.plan);
  });
});

it('names the ways out where a flag that was edited would be deleted', async () => {
  const desired = desiredState();
  const base = { facts: { kind: 'commit', commit: 'c0ffee'.padEnd(40, '0'), from: 'ref' } as const };
  const plan = buildPlan(desired, liveState([liveFlag(1, 'old', { name: 'edited' })]), {
    ...planOptions(),
    prune: true,
    base: { ...base, desired: desiredState(declared('old', { name: 'A' })) },
  });
  expect(await renderText({ kind: 'plan', plan }, VIEW)).toContain(
    'To leave the flag to the service, declare in flagwright.yaml scope: { exclude: ["old"] }\n',
  );
});

it('drift says what is not applied yet', async () => {
  const text = await renderText({ kind: 'drift', plan: planOf() }, VIEW);
  expect(text).toMatch(/new → old  not applied yet\n/);
  expect(text).toContain('30% → 20%  conflicts with the manifests (last applied: 10%)\n');
  expect(text).toContain('[x] → [y]\n');
  expect(text).toContain('- missing gone is declared but does not exist');
  expect(text).toContain('Since the last apply (c0ffee000000): 1 change in git, 5 edits in PostHog, 1 conflict\n');
});

it('a plan without a base says why', async () => {
  const base = { facts: { kind: 'none', reason: { code: 'not_recorded' } } } as const;
  const planOf = (live: LiveState, more: object = base): Plan =>
    buildPlan(desiredState(declared('a', { active: true })), live, { ...planOptions(), base: more as typeof base });
  const plan = planOf(liveState([liveFlag(1, 'a', { active: false })]));
  const words = 'No apply is recorded in this clone yet, so a difference may be a change in git or an edit';
  expect(await renderText({ kind: 'plan', plan }, VIEW)).toContain(words);
  expect(await renderText({ kind: 'drift', plan }, VIEW)).toContain(words);
  expect(await render({ kind: 'plan', plan }, 'markdown', VIEW)).toContain(words);
  // Nobody has edited what does not exist, and in sync nothing differs.
  for (const live of [liveState([]), liveState([liveFlag(1, 'a')])])
    expect(await renderText({ kind: 'plan', plan: planOf(live) }, VIEW)).not.toContain('recorded in this clone');
  const unread = { facts: { kind: 'none', reason: { code: 'git_missing' } } };
  expect(await renderText({ kind: 'plan', plan: planOf(liveState([]), unread) }, VIEW)).toContain(
    'Changes in git and edits in PostHog cannot be told apart: git is not installed',
  );
  const json = await render({ kind: 'plan', plan }, 'json', VIEW);
  expect(schemaErrors('plan', JSON.parse(json as string))).toEqual([]);
});
