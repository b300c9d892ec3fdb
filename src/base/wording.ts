/** How diagnostics become sentences: the entry of each code in a table of words, and the phrases that entries share. */

import { replaceKeys } from './api-key.ts';
import type { Diagnostic, DiagnosticOf, OfProjects, Severity } from './diagnostic.ts';

/** The words for one code. */
interface Words<Args> {
  /** The problem in general: the line of docs/diagnostics.md. */
  readonly title: string;
  readonly severities: readonly Severity[];
  /** The fix in general. */
  readonly hint: string;
  /** The problem here, in one sentence. */
  readonly message: (args: Args) => string;
  /** The fix here, if it is more specific than the hint. */
  readonly remedy?: (args: Args) => string;
  /** The line of the file must not be printed: it holds a secret, or is not text. */
  readonly hidesSource?: true;
}

/** A table of words; it does not compile when a code of `Problems` is missing. */
export type WordsFor<Problems> = { readonly [Code in keyof Problems]: Words<Problems[Code]> };

export const ERROR: readonly Severity[] = ['error'];
export const WARNING: readonly Severity[] = ['warning'];
export const EITHER: readonly Severity[] = ['error', 'warning'];

/** The problem and its fix, one sentence each. Values from files are shortened, escaped and masked. */
export function describeWith<Problems>(
  words: WordsFor<Problems>,
  { code, args }: DiagnosticOf<Problems>,
): { readonly message: string; readonly remedy: string } {
  const entry = words[code] as Words<object>;
  return { message: entry.message(args), remedy: entry.remedy?.(args) ?? entry.hint };
}

/** One line for an error that carries these diagnostics: the message of the only one, or how many there are. */
export function summarizeWith<Problems>(
  words: WordsFor<Problems>,
  diagnostics: readonly DiagnosticOf<Problems>[],
): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return describeWith(words, first).message;
  const files = new Set(errors.flatMap(({ place }: Diagnostic) => place?.file ?? [])).size;
  return `${errors.length} errors${files === 0 ? '' : ` in ${files} ${files === 1 ? 'file' : 'files'}`}.`;
}

const SHOWN_CHARACTERS = 80;

/** A string from a file as messages show it: short, on one line, without control characters and API keys. */
export function shown(text: string): string {
  const safe = replaceKeys(text).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`,
  );
  return safe.length <= SHOWN_CHARACTERS ? safe : `${safe.slice(0, SHOWN_CHARACTERS - 1)}…`;
}

export function quoted(text: string): string {
  return `"${shown(text)}"`;
}

/** `"a", "b" or "c"`. */
export function listed(values: readonly string[], last = 'or'): string {
  const quotedValues = values.map(quoted);
  if (quotedValues.length <= 1) return quotedValues.join('');
  return `${quotedValues.slice(0, -1).join(', ')} ${last} ${quotedValues.slice(-1).join('')}`;
}

/** `project "a"`, of several `the projects "a" and "b"`. */
export function projectsText({ project, others = [] }: OfProjects): string {
  return others.length === 0 ? `project ${quoted(project)}` : `the projects ${listed([project, ...others], 'and')}`;
}

/** `Project "a" has`, of several `The projects "a" and "b" have`. */
export function projectsHave(args: OfProjects): string {
  const text = projectsText(args);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${args.others === undefined ? 'has' : 'have'}`;
}

/** The member of flagwright.yaml that lacks a name: `projects.a.roles`, of several projects `projects.*.roles`. */
export function memberOfProjects({ project, others }: OfProjects, member: string): string {
  return `\`projects.${others === undefined ? shown(project) : '*'}.${member}\``;
}

const MOST_IN_CYCLE = 8;

/** `a → b → a`, of a long one its beginning. */
export function cycleText(cycle: readonly string[]): string {
  const begin = cycle.slice(0, MOST_IN_CYCLE).map(shown).join(' → ');
  return cycle.length > MOST_IN_CYCLE ? `${begin} …` : begin;
}

/** `Did you mean "x"?`, or `otherwise` without a suggestion. */
export function didYouMean(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `Did you mean ${quoted(suggestion)}?`;
}

/** The address of a page of the documentation: `rollouts`, `manifest#overlays`. */
export function docsPage(name: string): string {
  return `https://flagwright.dev/${name}`;
}

/** `30 s`, `15 min`, `14 min 59 s`: exact, as limits are. */
export function exactDuration(ms: number): string {
  if (ms % 1000 !== 0) return `${ms} ms`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), (ms / 1000) % 60];
  if (minutes === 0) return `${seconds} s`;
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** `64 MB`, rounded up: what exceeds a round limit never looks the same. */
export function sizeText(bytes: number): string {
  const [unit, name] = SIZES.find(([least]) => bytes >= least) ?? [1, 'bytes'];
  return `${Math.ceil((bytes / unit) * 10) / 10} ${name}`;
}

const SIZES: readonly (readonly [number, string])[] = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
];
