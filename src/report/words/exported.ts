/** Sentences about files that commands write: an export, and what to do before a plan accepts it. */

import { groupBy } from '../../base/group.ts';
import { lowerFirst } from '../../base/text.ts';
import type {
  Export,
  ExportNote,
  ExportReason,
  MergeOutcome,
  NotExported,
  NotMerged,
  NotMergedReason,
  UncheckedFlag,
  UnmanagedMember,
  UnmanagedReason,
} from '../../loop/export/export.ts';
import type { UndeclaredReason } from '../../posthog/exported.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import { escapeWholeLine, quoteShort } from '../escape.ts';
import { count, countNamed, keysText } from './amounts.ts';
import { DIAGNOSTIC_WORDS } from './diagnostics.ts';

/** One sentence for each kind of note, with the first names. */
export function exportNoteTexts(notes: readonly ExportNote[]): string[] {
  return [...groupBy(notes, ({ kind }) => kind)].flatMap(([kind, alike]) =>
    (NOTES[kind] as (some: typeof alike) => readonly string[])(alike),
  );
}

const NOTES: {
  readonly [Kind in ExportNote['kind']]: (notes: readonly Extract<ExportNote, { kind: Kind }>[]) => readonly string[];
} = {
  'dependency-dangling': (notes) => [
    `Conditions on flags that the project does not list keep their ids: ${keysText(
      notes.map(({ key, id }) => `${quoteShort(key)} (id ${id})`),
      asIs,
    )}. Restore those flags in PostHog, or remove the conditions.`,
  ],
  'cohort-without-alias': (notes) => [
    `Cohorts without a name in flagwright.yaml are written as ids: ${withUses(notes, ({ cohort, name }) => [cohort, name])}. Name them under cohorts there to use them in several projects.`,
  ],
  'cohort-undeclared': (notes) =>
    [...groupBy(notes, ({ reason }) => reason)].map(([reason, alike]) => {
      const cohorts = withUses(alike, ({ cohort, name }) => [cohort, name]);
      const remedy =
        reason === 'unlisted' ? 'Restore them in PostHog, or remove the conditions.' : 'Change them in PostHog.';
      return `Cohorts not declared: ${cohorts}, since ${UNDECLARED[reason]}. ${remedy}`;
    }),
  'early-access-undeclared': (notes) => [
    `Early access features not declared: ${keysText(
      notes.map(({ key, name }) => `${quoteShort(name)} (flag ${quoteShort(key)})`),
      asIs,
    )}, since no manifest reproduces them. Change them in PostHog, and export again.`,
  ],
  'role-without-name': (notes) => [
    `Roles without a name in flagwright.yaml are written as ids: ${withUses(notes, ({ role, name }) => [quoteShort(role), name])}. Name them under roles there to use them in several projects.`,
  ],
  'payloads-encrypted': (notes) => [
    `Encrypted payloads of ${flagsText(notes)} are placeholders, which change nothing. To change a payload, replace its placeholder by the new value.`,
  ],
  'access-refused': (notes) => [
    `Not exported: who has access to ${flagsText(notes)}. The user of the API key is not allowed to read it; use the key of an administrator.`,
  ],
  'access-of-members': (notes) => [
    `Not exported: the access of individual members to ${flagsText(notes)}. Change it in PostHog.`,
  ],
  'filters-unmanaged': (notes) => {
    const parts = groupBy(
      notes.flatMap(({ key, members }) => members.map((member) => ({ key, member }))),
      ({ member }) => member,
    );
    const texts = [...parts].map(([member, alike]) => `${quoteShort(member)} of ${flagsText(alike)}`);
    return [
      `Not exported: ${texts.join(', ')}. Other products of PostHog set these, and flagwright leaves them alone.`,
    ];
  },
  'filters-opaque': (notes) => {
    const versions = [...new Set(notes.map(({ format }) => quoteShort(format)))].join(', ');
    return [
      `Filters of format version ${versions} are in the manifests unchanged, for ${flagsText(notes)}. drift reports their changes, and no plan changes them: change them in PostHog, and export again.`,
    ];
  },
};

/** `24 flags (a, b, 22 more)`. */
function flagsText(notes: readonly { readonly key: string }[]): string {
  return `${count(notes.length, 'flag')} (${keysText(notes.map(({ key }) => key))})`;
}

/** `Beta (id 42, 24 flags), id 43 (1 flag)`. */
function withUses<Note>(
  notes: readonly Note[],
  named: (note: Note) => readonly [id: number | string, name: string | undefined],
) {
  const uses = [...groupBy(notes, (note) => named(note)[0])].map(([id, [note, ...others]]) => {
    const name = note && named(note)[1];
    const flags = count(others.length + 1, 'flag');
    return name === undefined ? `id ${id} (${flags})` : `${quoteShort(name)} (id ${id}, ${flags})`;
  });
  return keysText(uses, asIs);
}

function asIs(text: string): string {
  return text;
}

/** Of one cohort, and of several. */
export const UNDECLARED: Readonly<Record<UndeclaredReason, string>> = {
  static: 'manifests declare definitions, not lists of people',
  behavioral: 'a declared flag must not use a definition that depends on events',
  unlisted: 'only what the project lists can be declared',
  'reads-differently': 'no manifest reproduces the live definition',
};

/** One sentence for all flags whose filters break the same rules. */
export function uncheckedTexts(flags: readonly UncheckedFlag[]): string[] {
  return [...groupBy(flags, ({ reasons }) => reasons.join(', '))].map(
    ([reasons, alike]) =>
      `Filters that break a rule (${reasons}) are under fields, unchanged and unchecked, for ${flagsText(alike)}.`,
  );
}

/** One sentence for each reason. `isMerged`: no other run writes these files. That no export declares a member is for programs: nobody can change it. */
export function unmanagedTexts(members: readonly UnmanagedMember[], isMerged = false): string[] {
  const reasonOf = ({ reason }: UnmanagedMember): UnmanagedReason =>
    isMerged && reason === 'not-read' ? 'not-declared' : reason;
  return UNMANAGED_REASONS.flatMap(({ reason, remedy }) => {
    const own = members.filter((one) => reasonOf(one) === reason);
    const sums = [...groupBy(own, ({ member }) => member)].map(([member, some]) => ({
      member,
      flags: some.reduce((sum, { flags }) => sum + flags, 0),
    }));
    const alike = groupBy(sums, ({ flags }) => flags);
    const omitted = [...alike].map(
      ([flags, some]) => `${list(some.map(({ member }) => member))} (${count(flags, 'flag')})`,
    );
    return omitted.length === 0 ? [] : [`Not managed: ${omitted.join(', ')}. ${remedy}`];
  });
}

const UNMANAGED_REASONS: readonly { readonly reason: UnmanagedReason; readonly remedy: string }[] = [
  { reason: 'minimal', remedy: 'These have defaults; --full declares them, so that drift reports edits.' },
  { reason: 'not-read', remedy: 'To manage it, export with --role-access, and --force over these files.' },
  { reason: 'not-declared', remedy: 'To manage it, add it to the declarations.' },
];

/** `Exported 300 flags to 12 files; 0 left out.` */
export function exportedText(
  { flags, notExported }: Pick<Export, 'flags' | 'notExported'>,
  {
    files,
    merged,
    dryRun = false,
  }: { readonly files: number; readonly merged?: MergeOutcome; readonly dryRun?: boolean },
): string {
  const left = `${notExported.length + (merged?.notMerged.length ?? 0)} left out.`;
  const where = count(files, 'file');
  if (merged !== undefined) return `${dryRun ? 'Would change' : 'Changed'} ${where}; ${left}`;
  return `${dryRun ? 'Would export' : 'Exported'} ${count(flags, 'flag')} to ${where}; ${left}`;
}

export function notExportedText({ key, id, reasons }: NotExported): string {
  return `${quoteShort(key)} (flag id ${id}) was not exported and stays unmanaged: ${reasons.map(exportReasonText).join('; ')}.`;
}

export function exportReasonText(reason: ExportReason): string {
  if (reason === 'reads-differently') return `no manifest reproduces the live flag (${reason})`;
  if (reason === 'key-shared') return `another flag has the same key (${reason})`;
  if (reason === 'declared-elsewhere') {
    return `manifests declare it for other projects only, and a plan accepts one declaration (${reason}); use --merge`;
  }
  return `${lowerFirst(DIAGNOSTIC_WORDS[reason].title)} (${reason})`;
}

export function mergeTexts({ overlaid, limited }: MergeOutcome, project: string): string[] {
  const name = quoteShort(project);
  const differ = `${countNamed(overlaid)} ${overlaid.length === 1 ? 'differs' : 'differ'} in ${name}: overlays under projects.${name}.`;
  const lacks = `${name} lacks ${countNamed(limited, 'declared ')}, now limited with only_in to the other projects: ${keysText(limited)}.`;
  return [...(overlaid.length === 0 ? [] : [differ]), ...(limited.length === 0 ? [] : [lacks])];
}

export function notMergedText({ key, reason, file, suggestion }: NotMerged): string {
  const where = file === undefined ? '' : ` (${quoteShort(file)})`;
  const lines = suggestion?.split('\n').map((line) => `    ${escapeWholeLine(line)}`);
  const remedy = lines === undefined ? '' : ` Write by hand:\n${lines.join('\n')}`;
  return `${quoteShort(key)}${where} was left as it is: ${NOT_MERGED[reason]}.${remedy}`;
}

const NOT_MERGED: Readonly<Record<NotMergedReason, string>> = {
  'not-editable': 'the edit would change something else too, such as a value that shares an anchor (not-editable)',
  'reads-differently': 'no overlay reproduces the live values (reads-differently); give it a declaration of its own',
  renamed:
    'the project has it under another key or name, and a plan renames it; apply that, or take the live one over with accept (renamed)',
  'declared-deleted': 'it is declared as deleted and is live; apply deletes it, or remove `deleted` (declared-deleted)',
  'declared-only-here':
    'it is declared for this project alone, which lacks it; apply creates it, or remove the declaration (declared-only-here)',
  static: 'the project has a list of persons under its name, and manifests declare definitions only (static)',
  behavioral: 'its live definition depends on events, and a declared flag that uses it must not (behavioral)',
  'still-used':
    'the project lacks it, and flags or cohorts that are declared for the project use it; apply creates it (still-used)',
};

/** The file has the others. */
const MOST_NAMES = 20;

/** Names for ids that flagwright.yaml got, or that it should get. */
export function aliasesText(aliases: {
  readonly project: string;
  readonly cohorts: Readonly<Record<string, number>>;
  readonly roles: Readonly<Record<string, string>>;
  readonly added: boolean;
}): string {
  const { project, cohorts, roles, added } = aliases;
  const named = Object.entries({ cohorts, roles }).flatMap(([member, names]) => {
    const pairs = Object.entries<number | string>(names).map(([name, id]) => `${quoteShort(name)}: ${id}`);
    const hidden = added ? pairs.splice(MOST_NAMES).length : 0;
    return pairs.length === 0
      ? []
      : [`${member} ${[...pairs, ...(hidden === 0 ? [] : [`${hidden} more`])].join(', ')}`];
  });
  return added
    ? `In flagwright.yaml, ids of ${quoteShort(project)} get names: ${named.join('; ')}.`
    : `flagwright.yaml could not be edited without changing something else. To use names instead of ids, add these to project ${quoteShort(project)}, and run the command again: ${named.join('; ')}.`;
}

/** Why a further family could not be read, so that nothing of it is declared. */
export function unreadText(section: FurtherFamily, failure: string): string {
  const { forbidden, absent } = FURTHER_WORDS[section];
  return failure === 'forbidden' ? forbidden : absent;
}

interface FurtherWords {
  readonly noun: string;
  /** How an argument names one. */
  readonly remedy: string;
  /** Why none could be read. */
  readonly forbidden: string;
  readonly absent: string;
}

export const FURTHER_WORDS: Readonly<Record<FurtherFamily, FurtherWords>> = {
  cohorts: {
    noun: 'cohort',
    remedy: 'Name it by its id or its name; flagwright cohorts list shows both.',
    forbidden:
      'the API key cannot read cohorts (scope cohort:read), so manifests declare none, and new names of cohorts are those in flags.',
    absent: 'the service has no list of cohorts.',
  },
  early_access: {
    noun: 'early access feature',
    remedy: 'Name it by the key of its flag or its name; flagwright early-access list shows both.',
    forbidden:
      'the API key cannot read early access features (scope early_access_feature:read), so manifests declare none.',
    absent: 'the service has no list of early access features.',
  },
};

export type ExportProblem =
  /** Exported files that the manifest patterns do not match. */
  | { readonly code: 'not_read'; readonly files: readonly string[] }
  /** Another file that declares some of the exported flags or cohorts. */
  | { readonly code: 'declared_twice'; readonly file: string; readonly flags: number; readonly cohorts: number }
  /** A project without aliases that the exported files use. */
  | { readonly code: 'aliases_missing'; readonly project: string };

export function exportProblemText(problem: ExportProblem): string {
  switch (problem.code) {
    case 'not_read': {
      const [first = '', ...others] = problem.files;
      const rest = others.length === 0 ? '' : ` and ${count(others.length, 'other file')}`;
      return `no plan reads ${quoteShort(first)}${rest}: the manifests patterns in flagwright.yaml do not match.`;
    }
    case 'declared_twice': {
      const parts = [
        ...(problem.flags === 0 ? [] : [count(problem.flags, 'exported flag')]),
        ...(problem.cohorts === 0 ? [] : [count(problem.cohorts, 'exported cohort')]),
      ].join(' and ');
      return `${quoteShort(problem.file)} also declares ${parts}, and a plan accepts one declaration. Remove them there or from the exported files; export --unmanaged writes only what no manifest declares.`;
    }
    case 'aliases_missing':
      return `project ${quoteShort(problem.project)} lacks aliases for cohorts or roles that the exported files use, so validate reports errors. Add them in flagwright.yaml, or restrict the flags with only_in.`;
  }
}

function list(names: readonly string[]): string {
  return names.map((name) => quoteShort(name)).join(', ');
}
