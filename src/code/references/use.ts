/** Where a flag is read by all code that is known, and whether that is all there is: the answer that other rooms build on. */

import { compareStrings } from '../../base/compare-strings.ts';
import {
  addTo,
  readFinder,
  REFERENCE_FORMS,
  type CodeReferences,
  type IndirectRead,
  type Reference,
  type SkippedFiles,
} from './reference.ts';

/** All code that may read the flags. */
export interface KnownCode {
  /** This repository first. */
  readonly repositories: readonly SearchedRepository[];
  /** The sources that cannot be used. */
  readonly gaps: readonly Gap[];
}

export interface SearchedRepository {
  /** Absent: this repository. */
  readonly name?: string;
  /** Absent: the files on disk. */
  readonly commit?: string;
  /** When it was searched, in ISO 8601; absent: now. */
  readonly at?: string;
  readonly code: CodeReferences;
  /** Absent if a change hides nothing, or none is judged. */
  readonly hidden?: HiddenCode;
  /** The former statement of a source whose document a change edits. */
  readonly former?: FormerDocument;
}

export interface FormerDocument {
  /** The file as the configuration names it. */
  readonly file: string;
  /** Absent if it cannot be read. */
  readonly code?: CodeReferences;
}

/** What files read before a change that takes them out of the search and does not delete them. */
export interface HiddenCode extends Pick<CodeReferences, 'references' | 'indirectReads'> {
  /** Files of which nobody knows what they read. */
  readonly unread: readonly string[];
}

/** Code that was not searched, so that nobody knows whether it reads a flag. */
export type Gap =
  | ({ readonly code: 'files_not_searched'; readonly why: GapReason; readonly files: readonly string[] } & OfRepository)
  | ({ readonly code: 'key_not_searched' } & OfRepository)
  /** The files read the flag before the change, and are there but no longer searched. */
  | { readonly code: 'code_hidden'; readonly files: readonly string[] }
  /** The document of a source named the flag before the change, and does not any more. */
  | { readonly code: 'source_edited'; readonly repository: string; readonly file: string }
  /** Nothing that was searched reads any flag: the code seems to be elsewhere. */
  | { readonly code: 'no_reader_found' }
  /** Only a plan continues without it. */
  | { readonly code: 'repository_not_searched'; readonly detail: string }
  | SourceGap;

/** Why the document of a source proves nothing. `file`: as the configuration names it. */
export type SourceGap = { readonly repository: string; readonly file: string } & (
  | { readonly code: 'source_missing' }
  | { readonly code: 'source_unreadable'; readonly detail: string }
  /** `found`: the name that the document has. */
  | { readonly code: 'source_renamed'; readonly found: string }
  | { readonly code: 'source_old'; readonly days: number; readonly max_days: number }
);

export interface OfRepository {
  /** Absent: this repository. */
  readonly repository?: string;
}

/** Those that may be code. */
type GapReason = Extract<keyof SkippedFiles, 'large' | 'unreadable' | 'submodules'>;

export interface FlagUse {
  readonly key: string;
  readonly verdict: UseVerdict;
  /** Certain ones first, and of these the calls. */
  readonly references: readonly (Reference & OfRepository)[];
  /** The places that may make the key at run time. */
  readonly indirect: readonly (IndirectRead & OfRepository)[];
  /** How often the key, if it is one word, occurs as an ordinary word. */
  readonly loose: number;
  /** Why code may read the flag in spite of what was found. */
  readonly gaps: readonly Gap[];
}

/**
 * `read`: code names the flag. `possible`: text names it that may be code. `indirect`: code makes keys at run time, and may make this one.
 * `unknown`: not all code was searched, and what was searched does not read it for certain. `not_found`: all code was
 * searched, and none of the ways in which code names or makes a key was found (docs/references.md).
 */
type UseVerdict = (typeof VERDICTS)[number];

export const VERDICTS = ['read', 'possible', 'indirect', 'unknown', 'not_found'] as const;

/** @param general The gaps that concern every key. @returns A function that answers for one key. */
export function useFinder(known: KnownCode, general: readonly Gap[] = gapsOfAll(known)): (key: string) => FlagUse {
  const named = new Map<string, (Reference & OfRepository)[]>();
  for (const one of known.repositories) {
    // A source may not know yet that the key is one of a flag.
    const reads = one.code.unknownReads.map((read) => ({ ...read, form: 'call' as const, certain: true }));
    for (const reference of [...one.code.references, ...reads]) {
      addTo(named, reference.key, { ...reference, ...ofRepository(one) });
    }
  }
  const findMade = readFinder(
    known.repositories.flatMap((one) => one.code.indirectReads.map((read) => ({ ...read, ...ofRepository(one) }))),
  );
  const findHidden = hiddenFinder(known.repositories.flatMap(({ hidden }) => hidden ?? []));
  const findEdited = editedFinder(known.repositories);
  const searched = known.repositories.map((one) => ({ repository: one, keys: new Set(one.code.keys) }));
  return (key) => {
    const references = named.get(key) ?? [];
    const facts = {
      key,
      references: references.toSorted((one, other) => weight(one) - weight(other)),
      indirect: findMade(key),
      loose: known.repositories.reduce((sum, { code }) => sum + (code.loose.get(key) ?? 0), 0),
      gaps: [
        ...general,
        ...searched.flatMap(({ repository, keys }) =>
          keys.has(key) ? [] : [{ code: 'key_not_searched' as const, ...ofRepository(repository) }],
        ),
        ...findHidden(key),
        ...findEdited(key),
      ],
    };
    return { ...facts, verdict: judge(facts) };
  };
}

function weight({ certain, form }: Reference): number {
  return (certain ? 0 : REFERENCE_FORMS.length) + REFERENCE_FORMS.indexOf(form);
}

function hiddenFinder(hidden: readonly HiddenCode[]): (key: string) => readonly Gap[] {
  if (hidden.length === 0) return () => [];
  const findMade = readFinder(hidden.flatMap(({ indirectReads }) => indirectReads));
  const unread = hidden.flatMap((one) => one.unread);
  const references = hidden.flatMap((one) => one.references);
  return (key) => {
    const places = [...references.filter((one) => one.key === key), ...findMade(key)];
    const files = [...new Set([...places.map(({ place }) => place.file), ...unread])].toSorted(compareStrings);
    return files.length === 0 ? [] : [{ code: 'code_hidden', files }];
  };
}

function editedFinder(repositories: readonly SearchedRepository[]): (key: string) => readonly Gap[] {
  const edited = repositories.flatMap(({ name = '', code, former }) => {
    if (former === undefined) return [];
    const [isNamed, wasNamed] = [namesKey(code), former.code === undefined ? () => true : namesKey(former.code)];
    const gap = { code: 'source_edited', repository: name, file: former.file } as const;
    return [(key: string): readonly Gap[] => (wasNamed(key) && !isNamed(key) ? [gap] : [])];
  });
  return (key) => edited.flatMap((find) => find(key));
}

function namesKey({ references, unknownReads, indirectReads }: CodeReferences): (key: string) => boolean {
  const keys = new Set([...references, ...unknownReads].map(({ key }) => key));
  const findMade = readFinder(indirectReads);
  return (key) => keys.has(key) || findMade(key).length > 0;
}

/** The first that holds. */
function judge({ references, indirect, loose, gaps }: Omit<FlagUse, 'verdict'>): UseVerdict {
  if (references[0]?.certain === true) return 'read';
  if (gaps.length > 0) return 'unknown';
  if (references.length + loose > 0) return 'possible';
  return indirect.length > 0 ? 'indirect' : 'not_found';
}

/** Those that concern every key. */
export function gapsOfAll(known: KnownCode): readonly Gap[] {
  const found = [...known.gaps, ...known.repositories.flatMap(gapsOf)];
  // Whether the code reads any flag, also one that nobody asked about.
  const readsFlags = known.repositories.some(
    ({ code: { references, unknownReads, indirectReads } }) =>
      unknownReads.length + indirectReads.length > 0 || references.some(({ certain }) => certain),
  );
  return found.length > 0 || readsFlags ? found : [{ code: 'no_reader_found' }];
}

/** The files of a repository that were not searched and may be code. */
export function gapsOf(repository: SearchedRepository): readonly Gap[] {
  const { skipped } = repository.code;
  const reasons: readonly GapReason[] = ['large', 'unreadable', 'submodules'];
  return reasons
    .filter((why) => skipped[why].length > 0)
    .map((why) => ({ code: 'files_not_searched', why, files: skipped[why], ...ofRepository(repository) }));
}

function ofRepository({ name }: SearchedRepository): OfRepository {
  return name === undefined ? {} : { repository: name };
}
