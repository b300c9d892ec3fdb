/** Drift that a report does not count: that of `--ignore`, and that of exceptions from `drift`. Also writes such exceptions. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { keyGlobProblem } from '../../base/key-glob.ts';
import { defined } from '../../base/optional.ts';
import type { ExceptionEntry } from '../../config/entries.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { whyIdle } from '../../core/engine/exceptions.ts';
import type { LeaveRule } from '../../core/engine/matched.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import type { Change } from '../../posthog/plan.ts';
import { leaveIgnored, stateOf, type Ignored } from '../../posthog/planning/ignoring.ts';
import { parsePathOf, requirePathOf } from '../../posthog/resource-path.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import { DRIFT_RULE } from '../../review/policy/broken-rules.ts';
import { exceptionOf, isFor, readOwn } from '../applied/find-exceptions.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { writeNewFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface IgnoringOptions {
  /** `KEY` or `KEY:PATH`. */
  readonly ignore?: readonly string[];
  readonly writeExceptions?: string;
}

/** Days until an exception that a run writes ends. */
const VALID_DAYS = 30;
const MS_PER_DAY = 86_400_000;

/** An option or an exception, and what it says if no difference matches. */
interface DriftEntry {
  readonly ignored: readonly Ignored[];
  readonly idleNote: string;
}

export interface Ignoring {
  readonly leaving: LeaveRule;
  /** A line for each entry that does not count or matched nothing. */
  readonly notes: () => readonly string[];
}

/** @throws {FlagwrightError} for an option or an exception that names no flag or no place. */
export async function readIgnoring(
  session: Session,
  { config, project }: Pick<LoadedProject, 'config' | 'project'>,
  { ignore = [] }: IgnoringOptions,
): Promise<Ignoring | undefined> {
  const own = await readOwn(config);
  const known = own.filter((entry) => entry.rule === DRIFT_RULE && isFor(project.name)(entry));
  if (ignore.length === 0 && known.length === 0) return undefined;
  const standing = { approvers: config.policies?.approvers, now: session.context.now() };
  const judged = known.map((entry) => ({
    entry,
    // It permits nothing, so it may be as new as it is.
    idle: whyIdle(exceptionOf(entry, { isInBase: true, isApproved: false }), standing),
  }));
  const entries: DriftEntry[] = [
    ...ignore.map(fromOption),
    ...judged.flatMap(({ entry, idle }) => (idle === undefined ? [fromException(entry)] : [])),
  ];
  const used = new Set<Ignored>();
  return {
    leaving: leaveIgnored(
      entries.flatMap(({ ignored }) => ignored),
      (one) => used.add(one),
    ),
    notes: () => [
      ...judged.flatMap(({ entry, idle }) => {
        if (idle === undefined) return [];
        const { until, grantedBy } = entry;
        return idle === 'expired'
          ? `${nameOf(entry)} expired on ${until} and counts again.`
          : `${nameOf(entry)} counts: ${quoteShort(grantedBy)}, who grants the exception, is not one of \`approvers\`.`;
      }),
      ...entries.flatMap(({ ignored, idleNote }) => (ignored.some((one) => used.has(one)) ? [] : idleNote)),
    ],
  };
}

function fromOption(text: string): DriftEntry {
  const { key, path: place } = parseIgnore(text);
  const name = quoteShort(place === undefined ? key : `${key}:${place.text}`);
  return { ignored: [{ key, ...defined({ path: place }) }], idleNote: `--ignore ${name} matches no difference.` };
}

/** `KEY`, `KEY:PATH`, `cohort:ALIAS` or `cohort:ALIAS:PATH`. No key, alias or path begins with a colon, and no key contains one. */
function parseIgnore(text: string): Ignored {
  const { kind, key: rest } = readName(text);
  const [own = '', ...parts] = rest.split(':');
  const key = nameResource(kind, own);
  if (own === '' || keyGlobProblem(key) !== undefined) {
    throw new FlagwrightError('usage', `--ignore ${quoteShort(text)} names no flag, cohort or early access feature.`, {
      remedy:
        'Write --ignore KEY or --ignore KEY:PATH; KEY may be a glob. A cohort is cohort:ALIAS, an early access feature early_access:ALIAS.',
    });
  }
  return { key, ...(parts.length === 0 ? {} : { path: requirePathOf(key, parts.join(':')) }) };
}

function fromException(entry: ExceptionEntry): DriftEntry {
  const { keys, path: text, state } = entry;
  return {
    ignored: keys.map((key) => ({
      key,
      ...defined({ state, path: text === undefined ? undefined : requirePathOf(key, text) }),
    })),
    idleNote: `${nameOf(entry)} matches no difference. Remove the exception.`,
  };
}

/** `The known drift of checkout (exceptions.yaml:3:5)`. */
function nameOf({ keys, place: { file, line, column } }: ExceptionEntry): string {
  return `The known drift of ${keys.map((key) => quoteShort(key)).join(', ')} (${escapeLine(file)}:${line}:${column})`;
}

/** A difference: one part of a change. */
export interface DriftedValue {
  readonly change: Change;
  readonly part: FieldChange;
}

/**
 * Writes the differences as exceptions of the project to a new file, none without a difference; resolves to how many it has.
 * @throws {FlagwrightError} `file` where the file exists.
 */
export async function writeExceptions(
  session: Session,
  differences: readonly DriftedValue[],
  { file, project }: { readonly file: string; readonly project: string },
): Promise<number> {
  if (differences.length === 0) return 0;
  const { context } = session;
  const until = new Date(context.now() + VALID_DAYS * MS_PER_DAY).toISOString().slice(0, 10);
  const entries = [...new Set(differences.map((one) => entryText({ about: aboutOf(one), until, project })))];
  const text = `# yaml-language-server: $schema=node_modules/flagwright/schemas/exceptions.schema.json\nexceptions:\n${entries.join('')}`;
  if (await writeNewFile(session, path.resolve(context.cwd, file), text)) return entries.length;
  throw new FlagwrightError('file', `${quoteShort(file)} exists; no exceptions were written.`, {
    remedy: 'Name another file, and move its entries.',
  });
}

/** A resource that is missing or must not exist is known as a whole; any other exception is from one value, with a digest of it. */
function aboutOf({ change, part }: DriftedValue): Pick<ExceptionEntry, 'keys' | 'path' | 'state'> {
  const key = nameOfChange(change);
  const isPlace = !WHOLE.has(change.action) && !('problem' in parsePathOf(key, part.path));
  return { keys: [key], ...(isPlace && { path: part.path, state: stateOf(part) }) };
}

const WHOLE: ReadonlySet<string> = new Set(['create', 'restore', 'delete']);

function entryText({
  about,
  until,
  project,
}: {
  readonly about: ReturnType<typeof aboutOf>;
  readonly until: string;
  readonly project: string;
}): string {
  const reason = 'Known when this file was written; say why.';
  const members = { rule: DRIFT_RULE, ...about, reason, until, granted_by: 'say who', projects: [project] };
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${stringifyJson(value)}\n`);
  return `  - ${lines.join('    ')}`;
}
