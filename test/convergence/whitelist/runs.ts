/** Every command that writes, with its options, with what networks, services and people do meanwhile; each is held against what it showed. */

import { readdirSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { REF } from '../../helpers/git-stage.ts';
import type { Ran, RunOptions } from '../../helpers/run.ts';
import type { DocumentChange } from './document.ts';
import { appliedManifest, click, commit, type Event, factsText, type History, type Planned } from './history.ts';
import { judge, type Way } from './laws.ts';
import type { Fate } from './watch.ts';

/** How many runs of each way wrote something. */
export const COUNTS: Record<string, number> = {};

interface Running {
  readonly history: History;
  readonly way: Way;
  readonly argv: readonly string[];
  readonly options?: Partial<RunOptions>;
  /** Absent: what the document of the run shows. */
  readonly planned?: Planned;
  readonly overrides?: readonly string[];
  readonly keeps?: boolean;
  /** Nothing fails, and nobody edits. */
  readonly isCalm?: boolean;
  /** The run is killed at its first or second request that writes. */
  readonly isKilled?: boolean;
}

const FATES: readonly Fate[] = ['lost', 'lost', 'unsent', 500, 503, 429, 409, 400];

/** Runs the command with a fault in one run of three, a person who edits meanwhile in one of five, and an end in one of eight. */
async function run({ history, way, argv, options = {}, ...given }: Running): Promise<Ran> {
  const { here, watch, below, pick, now, log, told } = history;
  const isCalm = given.isCalm === true;
  const [fate, nth, again] = [pick(FATES), 1 + below(3), below(4) === 0];
  const isFaulty = !isCalm && below(3) === 0;
  watch.seen = [];
  watch.fateOf = (write) => (isFaulty && (write === nth || (again && write === nth + 1)) ? fate : undefined);
  const meddles = !isCalm && below(5) === 0 ? pick([1, 2, 'read'] as const) : undefined;
  const dies = given.isKilled === true || (!isCalm && below(8) === 0) ? pick([1, 2]) : undefined;
  const ref = appliedRef(history);
  let interrupt = (): void => undefined;
  let journal: { readonly file: string; readonly size: number } | undefined;
  let meddled = false;
  watch.before = async (request) => {
    if (request === meddles && !meddled) {
      meddled = true;
      await click(history);
    }
    if (request !== dies || journal !== undefined) return;
    journal = newestJournal(here.root);
    interrupt();
    interrupt();
  };
  const base = ref === '' ? { flags: {}, early_access: {} } : appliedManifest(history);
  const onStart = (stop: () => void): void => void (interrupt = stop);
  const ran = await here.runWith({ now, onStart, ...options }, ...argv);
  // What was sent arrives, also after the process is gone.
  for (let left = 3; left > 0; left -= 1) await watch.settle();
  Object.assign(watch, { before: () => undefined, fateOf: () => undefined });
  if (journal !== undefined) die(history, ref, journal);
  const document = (ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : {}) as JsonObject;
  const shown: Planned = {
    name: (document['run'] as string | undefined) ?? '',
    changes: (document['changes'] ?? []) as unknown as readonly DocumentChange[],
    overrides: given.overrides ?? [],
    keeps: given.keeps === true || history.isKeeping || way === 'due',
    base,
    ...(document['undoes'] === undefined ? {} : { undoes: document['undoes'] as string }),
  };
  const planned = given.planned === undefined ? shown : { ...given.planned, name: shown.name };
  const facts = watch.seen.flatMap((one) => one.facts);
  const fault = `${isFaulty ? `, write ${nth} ${fate}` : ''}${journal === undefined ? '' : ', killed'}`;
  log(
    `${argv.join(' ')}: ${ran.code}${fault}${document['run'] === undefined ? '' : ` ${planned.name}`}: ${factsText(facts)}${ran.code === 0 ? '' : ` | ${ran.stderr.trim().split('\n').slice(-2).join(' ').slice(0, 200)}`}`,
  );
  if (facts.length > 0) COUNTS[way] = (COUNTS[way] ?? 0) + 1;
  if (ran.code === 4) expect(factsText(facts), told('what is refused writes nothing')).toBe('');
  const known = history.runs.get(planned.name);
  judge(history, way, way === 'resume' ? (known ?? shown) : planned);
  if (planned.name !== '' && known === undefined) history.runs.set(planned.name, { ...planned, way } as Planned);
  if (ran.code === 0 && ['apply', 'saved', 'resume'].includes(way)) settleOff(history);
  return ran;
}

/** What git declares off since is off by review. */
function settleOff({ off, watch, manifest }: History): void {
  for (const id of off.keys()) {
    const flag = manifest.flags[watch.live.get(id)?.['/key'] as string];
    if (flag?.['active'] === false || flag?.['rollout_percentage'] === 0 || flag?.['deleted'] === true) off.delete(id);
  }
}

function appliedRef({ here }: History): string {
  return here.git('for-each-ref', '--format=%(objectname)', REF).trim();
}

function newestJournal(root: string): { readonly file: string; readonly size: number } {
  const folder = path.join(root, '.flagwright', 'journal');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const file = path.join(folder, names.toSorted().at(-1) ?? '');
  return { file, size: statSync(file).size };
}

/** What a killed process leaves: nothing that it wrote after the kill. */
function die(history: History, ref: string, { file, size }: { readonly file: string; readonly size: number }): void {
  truncateSync(file, size);
  if (ref !== '') history.here.git('update-ref', REF, ref);
}

interface Options {
  readonly argv: readonly string[];
  readonly overrides: readonly string[];
  readonly keeps: boolean;
}

function planningOptions({ below, pick, manifest }: History): Options {
  const key = pick(Object.keys(manifest.flags));
  const overrides = below(6) === 0 ? [pick(Object.keys(manifest.flags))] : [];
  const keeps = below(5) === 0;
  return {
    argv: [
      ...(below(4) === 0 ? ['--target', key] : []),
      ...(below(8) === 0 ? ['--prune'] : []),
      ...(keeps ? ['--only-pending'] : []),
      ...overrides.flatMap((one) => ['--override', one]),
      ...(below(3) > 0 ? ['--allow-risky', '*', '--allow-deletes', '9', '--allow-disables', '9'] : []),
    ],
    overrides,
    keeps,
  };
}

const apply: Event = async (history) => {
  const { argv, ...planning } = planningOptions(history);
  const asked = history.below(6);
  const answer = asked === 0 ? {} : asked === 1 ? { answer: { line: history.pick(['no', 'yes']) } } : {};
  const yes = asked > 1 ? ['--yes'] : [];
  await run({ history, way: 'apply', argv: ['apply', ...yes, '-f', 'json', ...argv], options: answer, ...planning });
  const { told, watch } = history;
  const facts = factsText(watch.seen.flatMap((one) => one.facts));
  const mayWrite = asked > 1 || answer.answer?.line === 'yes';
  if (!mayWrite) expect(facts, told('nobody confirmed')).toBe('');
};

/** An ordinary apply of everything, so that histories go on. */
const merge: Event = async (history) => {
  const argv = ['apply', '--yes', '-f', 'json', '--allow-risky', '*', '--allow-deletes', '9', '--allow-disables', '9'];
  await run({ history, way: 'apply', argv });
};

const save: Event = async (history) => {
  const { argv, ...planning } = planningOptions(history);
  const file = `saved-${(history.count += 1)}.json`;
  history.watch.seen = [];
  const base = appliedManifest(history);
  const ran = await history.here.runWith({ now: history.now }, 'plan', '-f', 'json', '--out', file, ...argv);
  history.log(`plan --out ${file} ${argv.join(' ')}: ${ran.code}`);
  expect(history.watch.seen, history.told('a plan writes nothing')).toEqual([]);
  if (ran.code !== 0) return;
  const { changes } = ran.document() as unknown as Pick<Planned, 'changes'>;
  const keeps = planning.keeps || history.isKeeping;
  history.saved.push({ name: file, changes, overrides: planning.overrides, keeps, base });
};

const applySaved: Event = async (history) => {
  const planned = history.pick(history.saved);
  if (planned === undefined) return;
  const way = planned.undoes === undefined ? 'saved' : 'undo';
  await run({ history, way, argv: ['apply', planned.name, '-f', 'json'], planned });
};

const due: Event = async (history) => {
  await run({ history, way: 'due', argv: ['apply', '--due', '-f', 'json'] });
};

const resume: Event = async (history) => {
  const name = history.below(4) === 0 ? history.pick([...history.runs.keys()]) : undefined;
  const argv = ['apply', '--resume', ...(name === undefined ? [] : [name]), '-f', 'json'];
  await run({ history, way: 'resume', argv });
};

const off: Event = async (history) => {
  const { here, pick, below, log } = history;
  const flags = await here.world.client.listFlags();
  const one = pick(flags);
  const zero = below(3) === 0 ? ['--zero'] : [];
  const ran = await run({ history, way: 'off', argv: ['off', one.key, '--yes', ...zero, '-f', 'json'] });
  // What was off already is held too.
  if (ran.code !== 0 || one.active !== false || history.off.has(one.id)) return;
  history.off.set(one.id, 'active');
  log(`${one.key} was off, and is held`);
};

const undo: Event = async (history) => {
  const { below, pick, runs, watch, told } = history;
  const name = below(3) === 0 ? [pick([...runs.keys()])] : [];
  const options = ['--allow-risky', '*', '--allow-deletes', '9', ...(below(3) === 0 ? ['--partial'] : [])];
  if (below(4) > 0) {
    await run({ history, way: 'undo', argv: ['undo', ...name, '--yes', '-f', 'json', ...options] });
    return;
  }
  const file = `undo-${(history.count += 1)}.json`;
  watch.seen = [];
  const ran = await history.here.runWith(
    { now: history.now },
    'undo',
    ...name,
    '--out',
    file,
    '-f',
    'json',
    ...options,
  );
  history.log(`undo --out ${file} ${name.join(' ')}: ${ran.code}`);
  expect(watch.seen, told('a saved undo writes nothing')).toEqual([]);
  if (ran.code !== 0) return;
  const { changes, undoes = '' } = (ran.document()['plan'] ?? ran.document()) as unknown as Planned;
  history.saved.push({ name: file, changes, overrides: [], keeps: false, base: appliedManifest(history), undoes });
};

/** One change is left for another run. */
const between: Event = async (history) => {
  await history.pick([click, commit, off, due, async () => undefined, async () => undefined])(history);
};

const saveAndApply: Event = async (history) => {
  await commit(history);
  const before = history.saved.length;
  await save(history);
  await between(history);
  const planned = history.saved.at(-1);
  if (planned === undefined || history.saved.length === before) return;
  await run({ history, way: 'saved', argv: ['apply', planned.name, '-f', 'json'], planned });
};

const killAndResume: Event = async (history) => {
  await commit(history);
  const argv = ['apply', '--yes', '-f', 'json', '--allow-risky', '*', '--allow-deletes', '9', '--allow-disables', '9'];
  await run({ history, way: 'apply', argv, isKilled: true });
  await between(history);
  await resume(history);
};

export const first: Event = async (history) => {
  await run({ history, way: 'apply', argv: ['apply', '--yes', '-f', 'json'], isCalm: true });
};

export const EVENTS: readonly Event[] = [
  ...[commit, commit, commit, commit, click, click, click, click],
  ...[merge, merge, apply, apply, apply, save, applySaved, applySaved, due, due, resume, off, undo, undo],
  ...[saveAndApply, saveAndApply, killAndResume, killAndResume],
];
