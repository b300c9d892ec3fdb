/** Reads journals: the runs, and what is known about each change of a run. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RunOrigin } from '../apply/origin.ts';
import type { Outcome } from '../apply/result.ts';
import type { EarlierRun } from '../apply/resume.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { isJsonObject, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { TextMemo } from '../../base/text-memo.ts';
import type { Plan } from '../../posthog/plan.ts';
import { isRecord, JOURNAL_FORMAT_VERSION, type JournalRecord } from './record.ts';
import { readFollows } from './run-order.ts';
import { journalFile } from './write.ts';

export interface Run extends EarlierRun {
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Absent when the run was cut off. */
  readonly endedAt?: string;
  /** The newest runs in the folder when it began; absent if the record does not say. */
  readonly follows?: readonly string[];
  readonly plan: Plan;
  readonly origin?: RunOrigin;
  /** The last known outcome of each change, by ref. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Changes of which a request was sent, whatever became of it, by ref. */
  readonly attempted?: ReadonlySet<string>;
  /** When the last request of each change was sent and settled, by ref, as far as both were recorded. */
  readonly times?: ReadonlyMap<string, WriteTime>;
}

/** ISO 8601. */
interface WriteTime {
  readonly from: string;
  readonly until: string;
}

/** The journal holds no plan: the run was cut off before it sent anything, and cannot be resumed. */
export class NoRunError extends FlagwrightError {}

/** Whether every change has the outcome `applied`; any other run can be resumed. */
export function isComplete(run: Run): boolean {
  return run.plan.changes.every((change) => run.applied.has(change.ref));
}

/** The limit is a few times the journal of 10,000 changes, as for manifests. */
const MOST_REMEMBERED = 16_000_000;

/** Several steps of a command ask for the newest runs, and each journal has a whole plan. */
const remembered = new TextMemo<Promise<Run>>(MOST_REMEMBERED);

/**
 * @throws {NoRunError} when nothing was recorded.
 * @throws {FlagwrightError} `file` when the run does not exist or cannot be read; `plan_invalid` when it was edited.
 */
export async function readRun(folder: string, name: string): Promise<Run> {
  const text = await readOwnFile(journalFile(folder, name), name);
  return remembered.get(name, text, async () => parseRun(name, text));
}

/**
 * Whether a run that has ended left a whole journal. Only its ends are read: nothing is added after a record that could not be written.
 * @throws {FlagwrightError} `file` when it does not exist or cannot be read.
 */
export async function isWhole(folder: string, name: string): Promise<boolean> {
  const text = await readOwnFile(journalFile(folder, name), name);
  const [last] = parseRecord(text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
  return text.startsWith('{"kind":"begun"') && last?.kind === 'ended';
}

/** Links, folders and devices are refused: we write only regular files. */
async function readOwnFile(file: string, name: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) throw new Error('not a regular file');
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new FlagwrightError('file', `The journal of run ${name} cannot be read.`, {
      remedy: '`flagwright history` lists the runs.',
      cause,
    });
  }
}

/** A truncated last line is the trace of a crash and counts as not written. */
async function parseRun(name: string, text: string): Promise<Run> {
  const [first, ...records] = text.split('\n').flatMap(parseRecord);
  if (first === undefined) {
    const why = 'the run was cut off before it sent anything. It is ignored and can be removed.';
    throw new NoRunError('plan_invalid', `The journal of run ${name} does not begin with a plan: ${why}`);
  }
  if (first?.kind !== 'begun') throw damaged(name, 'It does not begin with a plan.');
  if (first.format_version !== JOURNAL_FORMAT_VERSION) throw damaged(name, 'It has another format version.');
  // Most runs of the command read no journal, and the check of plans is most of what they would load.
  const { readPlanDocument } = await import('../../posthog/planning/plan-document.ts');
  let plan: Plan;
  try {
    plan = readPlanDocument(first.plan);
  } catch (cause) {
    throw damaged(name, 'Its plan was edited or truncated.', cause);
  }
  const refs = new Set(plan.changes.map((change) => change.ref));
  const outcomes = new Map<string, Outcome>();
  const sent = new Map<string, string>();
  const times = new Map<string, WriteTime>();
  for (const record of records) {
    if (record.kind === 'sending' && refs.has(record.ref)) sent.set(record.ref, record.at);
    if (record.kind !== 'settled' || !refs.has(record.ref)) continue;
    outcomes.set(record.ref, record.result);
    times.set(record.ref, { from: sent.get(record.ref) ?? record.at, until: record.at });
  }
  const last = records.at(-1);
  return {
    name,
    startedAt: first.at,
    ...(last?.kind === 'ended' ? { endedAt: last.at } : {}),
    ...defined({ follows: readFollows(first.follows as unknown as JsonValue | undefined) }),
    plan,
    origin: readOrigin(first.origin as unknown as JsonValue | undefined),
    outcomes,
    times,
    applied: new Map([...outcomes].filter(([, { outcome }]) => outcome === 'applied')),
    attempted: new Set(sent.keys()),
    sent: new Set([...sent.keys()].filter((ref) => (outcomes.get(ref)?.outcome ?? 'unknown') === 'unknown')),
  };
}

function parseRecord(line: string): JournalRecord[] {
  try {
    const value = parseJson(line);
    return isRecord(value) ? [value as unknown as JournalRecord] : [];
  } catch {
    return [];
  }
}

function damaged(name: string, why: string, cause?: unknown): FlagwrightError {
  return new FlagwrightError('plan_invalid', `The journal of run ${name} cannot be used. ${why}`, {
    remedy:
      'Restore the file, or move it out of .flagwright/journal; flagwright then no longer knows what the run did.',
    ...defined({ cause }),
  });
}

/** Members of another type are left out. */
export function readOrigin(value: JsonValue | undefined): RunOrigin {
  if (!isJsonObject(value)) return {};
  const { name, host, ci, url } = objectOrEmpty(value['actor']);
  const facts = defined({ host: stringOf(host), ci: stringOf(ci), url: stringOf(url) });
  return defined({
    actor: typeof name === 'string' ? { name, ...facts } : undefined,
    commit: stringOf(value['commit']),
  });
}

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
