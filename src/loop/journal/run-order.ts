/** The order of recorded runs: what each one followed, whatever the clocks of the machines say. */

import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';

import path from 'node:path';
import pLimit from 'p-limit';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { reach } from '../../base/graph.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import { parseJson } from '../../base/json-text.ts';

export interface RunOrder {
  /** Newest first: each run comes before those that it followed. Of others, the later name comes first. */
  readonly names: readonly string[];
  /** The runs that no run followed. */
  readonly heads: readonly string[];
  /** Whether the run followed the other one, directly or through runs between them. */
  readonly follows: (run: string, other: string) => boolean;
}

/** Names of all runs, newest first; empty when there is no journal folder. */
export async function listRuns(folder: string): Promise<readonly string[]> {
  return (await readOrder(folder)).names;
}

/** Reads the beginning of each journal. @throws {FlagwrightError} `file` when the folder cannot be read. */
export async function readOrder(folder: string): Promise<RunOrder> {
  const files = await readdir(folder).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return [];
    throw new FlagwrightError('file', `The journal folder ${folder} cannot be read.`, { cause });
  });
  const limit = pLimit(MOST_OPEN_FILES);
  const runs = await Promise.all(
    files.map((file) => limit(async () => [runOfFile(file), await readFollowed(path.join(folder, file))] as const)),
  );
  return orderRuns(new Map(runs.flatMap(([name, followed]) => (name === undefined ? [] : [[name, followed]]))));
}

const MOST_OPEN_FILES = 32;

/** The run of a journal's file; `undefined` for a file with another name. */
export function runOfFile(file: string): string | undefined {
  return /^(\d{8}T\d{9}Z-[0-9a-f]{4})\.jsonl$/.exec(path.basename(file))?.[1];
}

/**
 * `followed`: of a run that does not say what it followed, `undefined`. Such runs are older than the others, and their names
 * order them. A statement that contradicts the rest counts as not made.
 */
export function orderRuns(followed: ReadonlyMap<string, readonly string[] | undefined>): RunOrder {
  const before = withUnstated(followed);
  const names = sortRuns(before);
  const places = new Map(names.map((name, index) => [name, index]));
  const placeOf = (name: string): number => places.get(name) ?? -1;
  const parents = (name: string): readonly string[] =>
    (before.get(name) ?? []).filter((other) => placeOf(other) > placeOf(name));
  const reached = new Map<string, ReadonlySet<string>>();
  const hasLater = new Set(names.flatMap(parents));
  return {
    names,
    heads: names.filter((name) => !hasLater.has(name)),
    follows: (run, other) => {
      const all = reached.get(run) ?? reach(parents(run), parents);
      reached.set(run, all);
      return all.has(other);
    },
  };
}

/** Omits runs that are not in the folder. A run that names no earlier ones follows the one before it by name. */
function withUnstated(
  followed: ReadonlyMap<string, readonly string[] | undefined>,
): ReadonlyMap<string, readonly string[]> {
  const unstated = [...followed].filter(([, runs]) => runs === undefined).map(([name]) => name);
  const earlier = new Map(unstated.toSorted().map((name, index, sorted) => [name, sorted.slice(index - 1, index)]));
  return new Map(
    [...followed].map(([name, runs]) => [name, (runs ?? earlier.get(name) ?? []).filter((one) => followed.has(one))]),
  );
}

/** Each run once all that followed it are placed. Runs that follow each other in a circle are placed by their names. */
function sortRuns(before: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const laterRuns = new Map([...before.keys()].map((name) => [name, 0]));
  const count = (names: readonly string[], by: number): void => {
    for (const name of names) laterRuns.set(name, (laterRuns.get(name) ?? 0) + by);
  };
  for (const names of before.values()) count(names, 1);
  const open = new Set([...before.keys()].toSorted().toReversed());
  const sorted: string[] = [];
  while (open.size > 0) {
    let [next = ''] = open;
    for (const name of open) {
      if (laterRuns.get(name) !== 0) continue;
      next = name;
      break;
    }
    open.delete(next);
    sorted.push(next);
    count(before.get(next) ?? [], -1);
  }
  return sorted;
}

/** The names that the first record has; `undefined` if it has none, or if it cannot be read. */
async function readFollowed(file: string): Promise<readonly string[] | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => undefined);
  try {
    if (handle === undefined || !(await handle.stat()).isFile()) return undefined;
    const record = parseJson((await readBeginning(handle)) ?? 'null');
    return isJsonObject(record) ? readFollows(record['follows']) : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

const CHUNK_BYTES = 4096;
const LARGEST_BEGINNING = 1_000_000;

/** The member begins here, since quotes in strings are escaped. The plan is long, and the runs it followed are written before it. */
const PLAN_MEMBER = ',"plan":';

async function readBeginning(handle: FileHandle): Promise<string | undefined> {
  let text = '';
  while (text.length < LARGEST_BEGINNING) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
    text += buffer.toString('latin1', 0, bytesRead);
    const end = text.indexOf(PLAN_MEMBER);
    if (end !== -1) return `${text.slice(0, end)}}`;
    if (bytesRead === 0 || text.includes('\n')) return undefined;
  }
  return undefined;
}

/** The member of a record; `undefined` if it is not a list of runs. */
export function readFollows(value: JsonValue | undefined): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  return value.every((name) => typeof name === 'string') ? (value as readonly string[]) : undefined;
}
