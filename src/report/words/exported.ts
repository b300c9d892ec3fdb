/** Sentences about files that commands write: an export, and what to do before a plan accepts it. */

import { groupBy } from '../../base/group.ts';
import { lowerFirst } from '../../base/text.ts';
import type {
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

/** Notes on the same id or part of another product become one sentence, with the number of flags. */
export function exportNoteTexts(notes: readonly ExportNote[]): string[] {
  return [...groupBy(notes, subjectOf).values()].map((alike) => {
    const [note] = alike as readonly [ExportNote];
    const flags = count(alike.length, 'flag');
    const key = quoteShort(note.key);
    switch (note.kind) {
      case 'dependency-dangling':
        return `${key}: it depends on the flag with id ${note.id}, which the project does not list. The manifest contains the id. Restore that flag in the service, or remove the condition.`;
      case 'cohort-without-alias':
        return `cohort ${note.cohort}${note.name === undefined ? '' : ` (${quoteShort(note.name)})`} has no alias under cohorts in flagwright.yaml. The manifests contain its id (${flags}). Give it a name there to use it in several projects.`;
      case 'cohort-undeclared':
        return `cohort ${note.cohort}${note.name === undefined ? '' : ` (${quoteShort(note.name)})`}, which ${flags} ${flags === '1 flag' ? 'uses' : 'use'}, is not declared: ${UNDECLARED[note.reason]}. ${note.reason === 'unlisted' ? 'Restore it there, or remove the conditions' : 'Change it in the service'}.`;
      case 'early-access-undeclared':
        return `${key}: its early access feature ${quoteShort(note.name)} is not declared: no manifest reproduces what is live. Change it in the service, and export again.`;
      case 'role-without-name':
        return `role ${quoteShort(note.name)} has no entry under roles in flagwright.yaml. The manifests contain its id ${quoteShort(note.role)} (${flags}). Give it a name there to use it in several projects.`;
      case 'payloads-encrypted':
        return `${key}: its payloads are encrypted (${list(note.payloads)}). The manifest contains a placeholder that leaves them unchanged. To change one, replace its placeholder by the new value.`;
      case 'access-refused':
        return `the service does not let the owner of the API key read who has access (${flags}). The manifests leave it out. To declare it, export with a key of an administrator.`;
      case 'access-of-members':
        return `members have levels of access of their own (${flags}). The manifests leave them out, and they stay as they are. Change them in the service.`;
      case 'filters-unmanaged':
        return `parts of filters that other products own stay unmanaged: ${list(note.members)} (${flags}). Change them in those products.`;
      case 'filters-opaque':
        return `filters of format version ${quoteShort(note.format)} are in the manifests as they are (${flags}). Drift reports their changes, and no plan changes them. Change them in the service, and export again.`;
    }
  });
}

function subjectOf(note: ExportNote): string {
  switch (note.kind) {
    case 'cohort-without-alias':
      return `cohort ${note.cohort}`;
    case 'cohort-undeclared':
      return `undeclared cohort ${note.cohort}`;
    case 'role-without-name':
      return `role ${note.role}`;
    case 'early-access-undeclared':
    case 'dependency-dangling':
    case 'payloads-encrypted':
      return JSON.stringify(note);
    case 'filters-unmanaged':
      return `filters ${list(note.members)}`;
    case 'filters-opaque':
      return `format ${note.format}`;
    case 'access-refused':
    case 'access-of-members':
      return note.kind;
  }
}

export const UNDECLARED: Readonly<Record<UndeclaredReason, string>> = {
  static: 'it is a list of persons, and manifests declare definitions only',
  behavioral: 'its definition depends on events, and a declared flag must not',
  unlisted: 'the project does not list it',
  'reads-differently': 'no manifest reproduces the live definition',
};

/** One sentence for all flags whose filters break the same rules. */
export function uncheckedTexts(flags: readonly UncheckedFlag[]): string[] {
  return [...groupBy(flags, ({ reasons }) => reasons.join(', '))].map(
    ([reasons, alike]) =>
      `filters that break a rule are under fields in the manifest, unchanged and unchecked (${reasons}): ${list(alike.map(({ key }) => key))}.`,
  );
}

export function unmanagedTexts(members: readonly UnmanagedMember[]): string[] {
  return UNMANAGED_REASONS.flatMap(({ reason, why }) => {
    const omitted = members.filter((one) => one.reason === reason);
    if (omitted.length === 0) return [];
    const named = omitted.map(({ member, flags }) => `${member} (${count(flags, 'flag')})`).join(', ');
    return [`drift does not report changes of ${named}: ${why}`];
  });
}

const UNMANAGED_REASONS: readonly { readonly reason: UnmanagedReason; readonly why: string }[] = [
  {
    reason: 'minimal',
    why: 'the manifests omit these values, which nobody chose. Without --minimal they declare them.',
  },
  { reason: 'not-read', why: 'role access was not exported. Use --role-access.' },
  {
    reason: 'not-declared',
    why: 'their declarations omit it, and a merge adds nothing that they omit. Add role_access or access to them.',
  },
  { reason: 'never-exported', why: 'an export never declares them.' },
];

export function notExportedText({ key, id, reasons }: NotExported): string {
  return `${quoteShort(key)} (flag id ${id}) is in no file and stays unmanaged: ${reasons.map(exportReasonText).join('; ')}.`;
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
    ? `names for ids of project ${quoteShort(project)}, in flagwright.yaml: ${named.join('; ')}.`
    : `flagwright.yaml could not be edited without changing something else. To use names instead of ids, add to project ${quoteShort(project)} and run the command again: ${named.join('; ')}.`;
}

/** Why a further family could not be read, so that nothing of it is declared. */
export function unreadText(section: FurtherFamily, failure: string): string {
  const { forbidden, absent } = UNREAD[section];
  return failure === 'forbidden' ? forbidden : absent;
}

const UNREAD: Readonly<Record<FurtherFamily, { readonly forbidden: string; readonly absent: string }>> = {
  cohorts: {
    forbidden:
      'the API key may not read cohorts (scope cohort:read), so manifests declare none, and new names of cohorts are those in flags.',
    absent: 'the service has no list of cohorts.',
  },
  early_access: {
    forbidden:
      'the API key may not read early access features (scope early_access_feature:read), so manifests declare none.',
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
