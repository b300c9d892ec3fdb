/** What executing a plan records, reports and notes, against the real service. */

import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { executePlan, type Executed, type Execution } from '../../../src/cli/plan/execute-plan.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { Report } from '../../../src/report/report.ts';
import { declared, desiredState } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { openWorld, type World, type WorldOptions } from '../../helpers/world.ts';

const CREATING = desiredState(declared('a', { active: false }));

interface Scene {
  readonly world: World;
  readonly workspace: Workspace;
  /** The names of the files of the journal. */
  readonly journals: () => readonly string[];
  readonly execute: (execution: Partial<Execution>, interrupted?: FlagwrightError) => Promise<Ending>;
}

interface Ending extends Executed {
  readonly said: readonly string[];
  readonly report: Extract<Report, { readonly kind: 'result' }>;
  /** Where an interrupt waits for writes, and which client was asked for. */
  readonly events: readonly string[];
}

async function scene(options: WorldOptions = {}): Promise<Scene> {
  const world = await openWorld('posthog', undefined, options);
  const workspace = createWorkspace();
  const folder = path.join(workspace.root, '.flagwright/journal');
  return {
    world,
    workspace,
    journals: () => readdirSync(folder).filter((name) => !name.startsWith('.')),
    execute: async (given, interrupted) => {
      let time = 1_800_000_000_000;
      const watched = watchSession({
        context: { cwd: workspace.root, now: () => (time += 5), randomUuid: () => '12345678' },
      });
      const events: string[] = [];
      const stop = interrupted === undefined ? new AbortController().signal : AbortSignal.abort(interrupted);
      const drain = (waits: boolean): void => void events.push(waits ? 'waits' : 'ends at once');
      const session = {
        ...{ ...watched.session, places: { root: workspace.root }, secrets: createSecrets() },
        interrupts: { ...watched.session.interrupts, stop, drain },
      };
      const opened = {
        project: { service: 'embedded' },
        client: world.client,
        forWriting: async () => Promise.resolve((events.push('for writing'), world.client)),
        progress: { onApply: () => undefined, clear: () => events.push('cleared') },
      };
      const loaded = { config: { root: workspace.root } };
      const execution = { plan: await world.plan(CREATING), journal: true, opened, loaded, ...given };
      const ended = await executePlan(session, execution as unknown as Execution);
      const [report] = watched.reports;
      return { ...ended, said: watched.said, report: report as Ending['report'], events };
    },
  };
}

/** A line of the notes, with the name of the run. */
const recorded = (ended: Ending, next: string): readonly string[] => [
  `note Recorded as run ${ended.run}; \`flagwright ${next} -p test\` ${next.includes('resume') ? 'finishes' : 'reverts'} it.\n`,
];

const INTERRUPTED = new FlagwrightError('interrupted', 'Interrupted.');
const withMore = (plan: Plan, more: object): Plan => ({ ...plan, ...more });

test('a run that writes is recorded, reported with its name, and can be undone', async () => {
  const { execute, journals } = await scene();
  const attributions = new Map();
  const ended = await execute({ attributions });
  expect([ended.code, ended.result.outcomes.applied]).toEqual([0, 1]);
  expect(journals()).toEqual([`${ended.run}.jsonl`]);
  expect(ended.report).toMatchObject({ kind: 'result', run: ended.run, result: ended.result });
  expect(ended.report.attributions).toBe(attributions);
  // The clock of the test moves at each question.
  expect(ended.report.durationMs).toBeGreaterThan(0);
  expect(ended.report.durationMs).toBeLessThan(1000);
  expect(ended.said).toEqual(recorded(ended, 'undo'));
});

test('only writes make an interrupt wait, and progress goes before anything is printed', async () => {
  const { execute } = await scene();
  expect((await execute({})).events).toEqual([
    'for writing',
    ...['ends at once', 'waits', 'waits', 'ends at once'],
    'cleared',
  ]);
});

describe('no run is recorded', () => {
  test('without changes, and no client for writing is asked for', async () => {
    const { execute, world, workspace } = await scene();
    const ended = await execute({ plan: await world.plan(desiredState()) });
    expect(ended).toMatchObject({ code: 0, said: [] });
    expect([ended.run, ended.report.run, ended.events.includes('for writing')]).toEqual([undefined, undefined, false]);
    expect(readdirSync(workspace.root)).toEqual([]);
  });

  test('where the run says so', async () => {
    const { execute, workspace } = await scene();
    const ended = await execute({ journal: false });
    expect(ended).toMatchObject({ code: 0, said: [], result: { outcomes: { applied: 1 } } });
    expect([ended.run, ended.report.run, readdirSync(workspace.root)]).toEqual([undefined, undefined, []]);
  });
});

describe('the note about a recorded run', () => {
  test('names an undo by its run, since the newest one is that undo', async () => {
    const { execute, world } = await scene();
    const ended = await execute({ plan: withMore(await world.plan(CREATING), { undoes: 'r1' }) });
    expect(ended.said).toEqual(recorded(ended, `undo ${ended.run}`));
  });

  test('is not there if everything was made already', async () => {
    const { execute, world } = await scene();
    const plan = await world.plan(CREATING);
    await world.apply(plan);
    const ended = await execute({ plan });
    expect(ended.result.changes).toMatchObject([{ result: { outcome: 'applied', already: true } }]);
    expect(ended.said).toEqual([]);
  });

  test('is there if something else was written', async () => {
    const { execute, world } = await scene();
    const plan = await world.plan(desiredState(declared('a', { active: false }), declared('b', { active: false })));
    await world.apply(await world.plan(CREATING));
    const ended = await execute({ plan });
    expect(ended.result.outcomes.applied).toBe(2);
    expect(ended.said).toEqual(recorded(ended, 'undo'));
  });

  test('says how to finish a run that was stopped', async () => {
    const { execute } = await scene();
    const ended = await execute({}, INTERRUPTED);
    expect(ended.code).toBe(130);
    expect(ended.said).toEqual(recorded(ended, 'apply --resume'));
  });

  test.each([
    ['is not there for a run of `off`, which says itself how to go on', undefined],
    ['is there for a run of `off` that was stopped', INTERRUPTED],
  ])('%s', async (_, interrupted) => {
    const { execute, world } = await scene();
    await world.apply(await world.plan(desiredState(declared('a', { active: true }))));
    const off = { flags: ['a'] };
    const ended = await execute({ plan: withMore(await world.plan(CREATING), { off }) }, interrupted);
    expect(ended.said).toEqual(interrupted === undefined ? [] : recorded(ended, 'apply --resume'));
  });
});

test('a resumed run goes on in its own journal, and repeats nothing', async () => {
  const written: string[] = [];
  const onRequest = ({ method, path: url }: { readonly method: string; readonly path: string }): void => {
    if (method !== 'GET') written.push(url);
  };
  const { execute, world, journals } = await scene({ onRequest: onRequest as never });
  const plan = await world.plan(CREATING);
  const first = await execute({ plan }, INTERRUPTED);
  expect(written).toEqual([]);
  const resumed = await execute({ plan, ...(first.run === undefined ? {} : { resumed: first.run }) });
  expect([resumed.code, resumed.run, written.length]).toEqual([0, first.run, 1]);
  const again = await execute({ plan, ...(first.run === undefined ? {} : { resumed: first.run }) });
  expect([again.code, again.run, written.length]).toEqual([0, first.run, 1]);
  // The run itself made it, and nobody else.
  expect(again.result.changes.map(({ result }) => result)).toEqual(resumed.result.changes.map(({ result }) => result));
  expect(journals()).toEqual([`${first.run}.jsonl`]);
});

test('what the run has just read is not read again', async () => {
  const read: string[] = [];
  const onRequest = ({ method, path: url }: { readonly method: string; readonly path: string }): void => {
    if (method === 'GET') read.push(url);
  };
  const { execute, world } = await scene({ onRequest: onRequest as never });
  const [plan, live] = [await world.plan(CREATING), await world.live()];
  read.length = 0;
  await execute({ plan, read: live });
  const readAgain = read.length;
  const { execute: other } = await scene({ onRequest: onRequest as never });
  read.length = 0;
  await other({ plan });
  expect(read.length).toBeGreaterThan(readAgain);
});

describe('a journal that is lost meanwhile', () => {
  const losing = async (interrupted?: FlagwrightError): Promise<Ending> => {
    const { execute, workspace, world } = await scene();
    const progress = {
      onApply: ({ kind }: { readonly kind: string }) => {
        if (kind === 'finished') rmSync(path.join(workspace.root, '.flagwright/journal'), { recursive: true });
      },
      clear: () => undefined,
    };
    return execute(
      {
        opened: {
          project: { service: 'embedded' },
          client: world.client,
          forWriting: async () => Promise.resolve(world.client),
          progress,
        } as never,
      },
      interrupted,
    );
  };

  test('is an error with what to do, though everything is applied', async () => {
    const ended = await losing();
    expect([ended.code, ended.result.outcomes.applied]).toEqual([3, 1]);
    expect(ended.said).toEqual([
      `print error  The journal of run ${ended.run} is incomplete.\n  → Free disk space, then run \`flagwright apply --resume\`: it reads the live flags and completes the journal.\n`,
    ]);
  });

  test('leaves the exit code of a run that says more', async () => {
    expect(await losing(INTERRUPTED)).toMatchObject({ code: 130, said: [expect.stringContaining('is incomplete')] });
  });
});

test('a run that cannot read the service ends its record without an end, and gives its lock back', async () => {
  const { execute, world, workspace, journals } = await scene();
  const [plan, cleared]: [Plan, string[]] = [await world.plan(CREATING), []];
  const broken = {
    ...world.client,
    listFlags: async (): Promise<never> => Promise.reject(new Error('no answer')),
    listFlagPage: async (): Promise<never> => Promise.reject(new Error('no answer')),
    getFlag: async (): Promise<never> => Promise.reject(new Error('no answer')),
  };
  const progress = { onApply: () => undefined, clear: () => void cleared.push('cleared') };
  const opened = {
    project: { service: 'embedded' },
    client: broken,
    forWriting: async () => Promise.resolve(broken),
    progress,
  };
  await expect(execute({ plan, opened: opened as never })).rejects.toThrow('no answer');
  expect([journals().filter((name) => !name.endsWith('.jsonl')), cleared]).toEqual([[], ['cleared']]);
  expect(workspace.read(`.flagwright/journal/${journals()[0]}`)).not.toContain('"kind":"ended"');
});
