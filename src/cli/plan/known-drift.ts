/** Drift that a report does not count: that of `--ignore`, and the known drift of a baseline file. Also writes such a file. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { keyGlobProblem } from '../../base/key-glob.ts';
import { defined } from '../../base/optional.ts';
import type { KnownDrift } from '../../config/entries.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import type { FieldPath } from '../../core/engine/field-path.ts';
import type { LeaveRule } from '../../core/engine/matched.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import { nameResource, readName } from '../../posthog/names/resource-name.ts';
import type { Change } from '../../posthog/plan.ts';
import { leaveIgnored, stateOf, type Ignored } from '../../posthog/planning/ignoring.ts';
import { explainPathOf, parsePathOf } from '../../posthog/resource-path.ts';
import { escapeLine, quoteShort } from '../../report/escape.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { writeNewFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface IgnoringOptions {
  /** `KEY` or `KEY:PATH`. */
  readonly ignore?: readonly string[];
  readonly baseline?: string;
  readonly writeBaseline?: string;
}

/** Days until an entry that a run writes expires. */
const VALID_DAYS = 30;
const MS_PER_DAY = 86_400_000;

interface DriftEntry extends Ignored {
  readonly known?: KnownDrift;
}

export interface Ignoring {
  readonly leaving: LeaveRule;
  /** A line for each entry that has expired or matched nothing. */
  readonly notes: () => readonly string[];
}

/** @throws {FlagwrightError} for an option or an entry that names no flag or no place. */
export async function readIgnoring(
  { context }: Session,
  { project }: LoadedProject,
  { ignore = [], baseline: file }: IgnoringOptions,
): Promise<Ignoring | undefined> {
  if (ignore.length === 0 && file === undefined) return undefined;
  const readKnown = async (name: string): Promise<readonly KnownDrift[]> => {
    const { readBaseline } = await import('../../config/entries.ts');
    const place = { path: path.resolve(context.cwd, name), file: name };
    return readBaseline({ ...place, project: project.name, now: context.now() });
  };
  const known = file === undefined ? [] : await readKnown(file);
  const valid = known.filter(({ isExpired }) => !isExpired);
  const entries: DriftEntry[] = [...ignore.map(parseIgnore), ...valid.map(toEntry)];
  const used = new Set<DriftEntry>();
  const expired = known.filter(({ isExpired }) => isExpired);
  const idleNote = ({ key, path: place, known: one }: DriftEntry): string => {
    if (one !== undefined) return `${nameOf(one)} matches no difference. Remove it.`;
    return `--ignore ${quoteShort(place === undefined ? key : `${key}:${place.text}`)} matches no difference.`;
  };
  return {
    leaving: leaveIgnored(entries, (entry) => used.add(entry)),
    notes: () => [
      ...expired.map((one) => `${nameOf(one)} expired on ${one.expires} and counts again.`),
      ...entries.filter((entry) => !used.has(entry)).map(idleNote),
    ],
  };
}

/** `KEY`, `KEY:PATH`, `cohort:ALIAS` or `cohort:ALIAS:PATH`. No key, alias or path begins with a colon, and no key contains one. */
function parseIgnore(text: string): DriftEntry {
  const { kind, key: rest } = readName(text);
  const [own = '', ...parts] = rest.split(':');
  const key = nameResource(kind, own);
  if (own === '' || keyGlobProblem(key) !== undefined) {
    throw new FlagwrightError('usage', `--ignore ${quoteShort(text)} names no flag, cohort or early access feature.`, {
      remedy:
        'Write --ignore KEY or --ignore KEY:PATH; KEY may be a glob. A cohort is cohort:ALIAS, an early access feature early_access:ALIAS.',
    });
  }
  return { key, ...(parts.length === 0 ? {} : { path: parsePath(key, parts.join(':'), 'usage') }) };
}

function toEntry(known: KnownDrift): DriftEntry {
  const { key, path: text, state } = known;
  return {
    key,
    known,
    ...defined({ state }),
    ...(text === undefined ? {} : { path: parsePath(key, text, 'config_invalid') }),
  };
}

function parsePath(key: string, text: string, code: 'usage' | 'config_invalid'): FieldPath {
  const parsed = parsePathOf(key, text);
  if (!('problem' in parsed)) return parsed;
  const { message, remedy } = explainPathOf(key, text, parsed.problem);
  throw new FlagwrightError(code, message, { remedy });
}

/** `The known drift of checkout (baseline.yaml:3:5)`. */
function nameOf({ key, source }: KnownDrift): string {
  return `The known drift of ${quoteShort(key)} (${escapeLine(source.file)}:${source.line}:${source.column})`;
}

/** A difference: one part of a change. */
export interface DriftedValue {
  readonly change: Change;
  readonly part: FieldChange;
}

/**
 * Writes the differences as known drift of the project to a new file; resolves to how many entries it has.
 * @throws {FlagwrightError} `file` where the file exists.
 */
export async function writeBaseline(
  session: Session,
  differences: readonly DriftedValue[],
  { file, project }: { readonly file: string; readonly project: string },
): Promise<number> {
  const { context } = session;
  const expires = new Date(context.now() + VALID_DAYS * MS_PER_DAY).toISOString().slice(0, 10);
  const entries = [...new Set(differences.map((one) => entryText({ ...entryOf(one), expires, project })))];
  const list = entries.length === 0 ? 'drift: []\n' : `drift:\n${entries.join('')}`;
  const text = `# yaml-language-server: $schema=node_modules/flagwright/schemas/baseline.schema.json\n${list}`;
  if (await writeNewFile(session, path.resolve(context.cwd, file), text)) return entries.length;
  throw new FlagwrightError('file', `${quoteShort(file)} exists; the baseline was not written.`, {
    remedy: 'Remove it first, or name another file.',
  });
}

type DriftIdentity = Pick<KnownDrift, 'key' | 'path' | 'state'>;

/** A resource that is missing or must not exist is known as a whole; any other entry is one value, with a digest of it. */
function entryOf({ change, part }: DriftedValue): DriftIdentity {
  const key = nameOfChange(change);
  const isPlace = !WHOLE.has(change.action) && !('problem' in parsePathOf(key, part.path));
  return isPlace ? { key, path: part.path, state: stateOf(part) } : { key };
}

const WHOLE: ReadonlySet<string> = new Set(['create', 'restore', 'delete']);

function entryText({
  project,
  ...entry
}: DriftIdentity & Pick<KnownDrift, 'expires'> & { readonly project: string }): string {
  const members = { ...entry, projects: [project], reason: 'Known when this file was written; say why.' };
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${stringifyJson(value)}\n`);
  return `  - ${lines.join('    ')}`;
}
