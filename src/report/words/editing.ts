/** The sentences about values that manifests take from the service or from another project, and about those that they do not take. */

import { fromPointer } from '../../base/json-pointer.ts';
import { lowerFirst } from '../../base/text.ts';
import type { KeptValue, LeftFlag, LeftPromotion, LeftReason, PromotionReason } from '../../editing/edit.ts';
import { type Labels, type Quote, isOfMain, readName } from '../../posthog/names/resource-name.ts';
import type { FormerKey } from '../../review/expectations/rename.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count, countNamed } from './amounts.ts';
import { DIAGNOSTIC_WORDS } from './diagnostics.ts';
import { exportReasonText, UNDECLARED } from './exported.ts';
import { labelsOf } from './kinds.ts';

export function leftText({ key, reason, place }: Omit<LeftFlag, 'suggestion'>, quote: Quote = quoteShort): string {
  const where = place === undefined ? '' : ` (${quote(`${place.file}:${place.line}`)})`;
  const { why, remedy } = reasonWords(reason, quote);
  return `${quote(key)}${where} was left as it is: ${why} (${reason.code}). ${remedy}`;
}

/** `remedy`: what writes the new key. */
export function formerKeyText({ place, from, to, isKept }: FormerKey, remedy: 'hand' | 'option'): string {
  const asks = `${quoteShort(`${place.file}:${place.line}`)} expects the flag ${quoteShort(from)}, which is now ${quoteShort(to)}`;
  if (isKept) return `${asks} in some of its projects only. Write an expectation for each key, with projects.`;
  return `${asks}. Rename it there${remedy === 'option' ? ', or run the command with --tests' : ''}.`;
}

interface ReasonWords {
  readonly why: string;
  readonly remedy: string;
}

/** The reason that a flag was left alone, and the remedy. */
function reasonWords(reason: LeftReason, quote: Quote): ReasonWords {
  if (isPlain(reason)) return PLAIN_REASONS[reason.code];
  switch (reason.code) {
    case 'invalid':
      if (reason.problem.code === 'ownership-value-outside') {
        const { path, value, low, high, rule } = reason.problem.args;
        const place = quote(`${rule.file}:${rule.line}:${rule.column}`);
        return {
          why: `${value} is outside the bounds ${low} to ${high} that ownership at ${place} has for ${quote(path)}`,
          remedy: 'Widen the bounds there, and run the command again; or change the value in the service.',
        };
      }
      return {
        why: `the manifest would have an error: ${lowerFirst(DIAGNOSTIC_WORDS[reason.problem.code].title)} [${reason.problem.code}]`,
        remedy: 'Change it in the service, or write its declaration by hand.',
      };
    case 'granted-by-pattern':
      return {
        why: `role ${quote(reason.role)} has access through the pattern ${quote(reason.pattern)}, which names other flags too`,
        remedy: 'Replace the pattern with the keys of the flags that the role may edit.',
      };
    case 'granted-everywhere':
      return {
        why: `role ${quote(reason.role)} has access through its list under role_access, which holds for every project`,
        remedy: 'Move the role to role_access of the flag, with an overlay for this project.',
      };
    case 'key-in-use':
      return keyInUse(reason, quote);
    case 'not-exportable':
      return {
        why: reason.reasons.map(exportReasonText).join('; '),
        remedy: 'It stays unmanaged.',
      };
    case 'cohort-undeclarable':
      return {
        why: `its cohort ${quote(reason.name)} is not declared, since ${UNDECLARED[reason.reason]}`,
        remedy: 'It stays unmanaged.',
      };
    case 'cohort-moved':
      return {
        why: `the project lacks it, and the cohort ${quote(reason.name)} (id ${reason.id}) may be it under a new name`,
        remedy: `If so, add its id to cohorts of the project in flagwright.yaml, and run the command again; else write deleted: true.`,
      };
    case 'cohort-unidentified':
      return {
        why: `its name, ${quote(reason.name)}, does not identify it in the project: it is empty, or another cohort has it too`,
        remedy: `Add ${quote(`${reason.alias}: ${reason.id}`)} to cohorts of the project in flagwright.yaml, and run the command again.`,
      };
    case 'renamed':
      return {
        why: `its key in the service is ${quote(reason.key)}`,
        remedy: `To adopt the new key, rename the declaration and add previous_keys with the former one.`,
      };
  }
}

function keyInUse({ key, renamed, use }: Extract<LeftReason, { code: 'key-in-use' }>, quote: Quote): ReasonWords {
  const moved = `its key is ${quote(renamed)} in the service`;
  if (use.by === 'declaration') {
    return {
      why: `${moved}, and another declaration has that key`,
      remedy:
        'Keep one of the two, declared for all projects that have the flag, or rename the flag back in the service.',
    };
  }
  const names = use.names.map((name) => quote(name)).join(', ');
  const users = {
    flags: `the conditions of ${names}`,
    features: `the members of ${names}`,
    roles: `the lists of ${names} under role_access`,
    projects: `other projects (${names})`,
  }[use.by];
  const rename = `Rename the declaration to ${quote(renamed)} with previous_keys: [${quote(key)}], and write`;
  const remedy = {
    flags: `${rename} ${quote(renamed)} in place of ${quote(key)} in ${users}.`,
    // The key of the flag may be the alias of the feature, and then it is not written.
    features: `${rename} flag: ${quote(renamed)} in ${names}.`,
    roles: `${rename} ${quote(renamed)} in place of ${quote(key)} in ${users}.`,
    projects: 'Rename it in all projects with --layer base, or declare it apart for this one with --layer project:',
  }[use.by];
  return { why: `${moved}, and ${users} use ${quote(key)}`, remedy };
}

type PlainCode = Exclude<
  LeftReason['code'],
  | 'invalid'
  | 'key-in-use'
  | 'granted-by-pattern'
  | 'granted-everywhere'
  | 'not-exportable'
  | 'cohort-moved'
  | 'cohort-undeclarable'
  | 'cohort-unidentified'
  | 'renamed'
>;

function isPlain(reason: LeftReason): reason is Extract<LeftReason, { readonly code: PlainCode }> {
  return Object.hasOwn(PLAIN_REASONS, reason.code);
}

const BY_HAND = 'Write it by hand.';

const PLAIN_REASONS: Readonly<Record<PlainCode, ReasonWords>> = {
  unreadable: { why: 'the file has errors', remedy: 'Correct them, and run the command again.' },
  alias: {
    why: 'the value comes from an alias',
    remedy: 'Change the value at its anchor by hand, or replace the alias by a value.',
  },
  'merge-key': {
    why: 'the value comes from a merge key',
    remedy: 'Change the merged mapping by hand, or write the value next to the merge key.',
  },
  anchor: {
    why: 'the value has an anchor, and other values use it',
    remedy: 'Write the value out where it is used, or change it for all of them by hand.',
  },
  tag: { why: 'the value has a tag that does not fit the new value', remedy: BY_HAND },
  'no-mapping': { why: 'there is something other than a mapping around the value', remedy: BY_HAND },
  overlapping: { why: 'two edits write the same value', remedy: BY_HAND },
  unwritable: { why: 'YAML cannot express the value', remedy: 'Change the value in the service.' },
  'reads-differently': { why: 'no edit of the manifest gives the live value', remedy: BY_HAND },
  'not-declared': {
    why: 'no manifest declares it for this project',
    remedy: 'Declare it with accept --unmanaged, or with only_in.',
  },
  'not-expressible': {
    why: 'no layer of the manifest can express the live value without changing another project',
    remedy: 'Use --layer base to change all projects, or give this project a declaration of its own.',
  },
  'changes-over-time': {
    why: 'the manifest has a value with steps over time, which the edit would move or remove',
    remedy: BY_HAND,
  },
  'changes-others': {
    why: 'it would change what other flags or projects declare',
    remedy: 'Use --layer base to change all projects, or write it by hand.',
  },
  'not-live': {
    why: 'the project lacks it, and nothing shows that it was deleted there',
    remedy: 'Apply creates it. If it was deleted, write deleted: true.',
  },
  'not-planned': {
    why: 'it differs in values that no plan can write',
    remedy: 'The warnings of plan say why, and what to do.',
  },
};

/** `Accepted: 2 flags in 1 file · 1 left · 1 not applied yet.` */
export function acceptSummary(
  report: Pick<ReportOf<'accept'>, 'accepted' | 'added' | 'left' | 'pending' | 'files'>,
): string {
  const { accepted, added, left, pending, files } = report;
  const names = [...accepted, ...added].map(({ key }) => key);
  const rest = [
    ...(left.length === 0 ? [] : [` · ${left.length} left`]),
    ...(pending.length === 0 ? [] : [` · ${pending.length} not applied yet`]),
  ].join('');
  if (names.length === 0) return rest === '' ? 'Nothing to accept.' : `Nothing was accepted${rest}.`;
  const verb = files.some(({ status }) => status === 'to_edit' || status === 'to_write') ? 'To accept' : 'Accepted';
  return `${verb}: ${countNamed(names)} in ${count(files.length, 'file')}${rest}.`;
}

/** The labels of the named resource. Access is a part of the flag here. */
export function labelsOfNamed(key: string): Labels {
  const labels = labelsOf({ resource: readName(key).kind });
  if (!isOfMain(key)) return labels;
  const field = (pointer: string): string => {
    const [first, kind, role = ''] = fromPointer(pointer);
    if (first !== 'role_access') return FLAG_LABELS.field(pointer);
    return kind === 'default' ? 'access · default' : `access · ${role}`;
  };
  return { ...labels, field };
}

export function leftPromotionText({ key, reason, place }: Omit<LeftPromotion, 'suggestion'>): string {
  const where = place === undefined ? '' : ` (${quoteShort(`${place.file}:${place.line}`)})`;
  const words = Object.hasOwn(WORDS, reason.code) ? WORDS[reason.code as OwnReason['code']] : undefined;
  const { why, remedy } =
    words === undefined
      ? reasonWords(reason as Exclude<PromotionReason, OwnReason>, quoteShort)
      : words(reason as never);
  return `${quoteShort(key)}${where} was left as it is: ${why} (${reason.code}). ${remedy}`;
}

type OwnReason = Exclude<PromotionReason, Parameters<typeof reasonWords>[0]>;

const WORDS: {
  readonly [Code in OwnReason['code']]: (reason: Extract<OwnReason, { readonly code: Code }>) => ReasonWords;
} = {
  'source-lacks': ({ project }) => ({
    why: `the project ${quoteShort(project)} does not have it`,
    remedy: 'Check the key, and that --from names the right project.',
  }),
  'part-lacks': ({ part, project }) => ({
    why: `the manifests do not declare its ${part} for ${quoteShort(project)}`,
    remedy: `Declare it there, or leave ${part} out of --only.`,
  }),
  'target-lacks': ({ project }) => ({
    why: `the manifests do not declare it for ${quoteShort(project)}, so a part of it cannot be promoted`,
    remedy: 'Promote the whole flag, without --only.',
  }),
  'conditions-differ': () => ({
    why: 'the projects do not have the same number of conditions, so the percentages cannot be matched to them',
    remedy: 'Promote the conditions too, with --only conditions.',
  }),
  'payloads-secret': () => ({
    why: 'its payloads are encrypted, and secrets are not copied',
    remedy: 'Promote the other parts with --only, and set the payloads in the service.',
  }),
  'cohort-unnamed': ({ cohort, project }) => ({
    why: `flagwright.yaml has no name for the cohort ${cohort} of ${quoteShort(project)}`,
    remedy: `Name it under cohorts of both projects: \`NAME: ${cohort}\` in ${quoteShort(project)}, and the same name with its id in the other.`,
  }),
  'cohort-missing': ({ alias, project }) => ({
    why: `the project ${quoteShort(project)} has no cohort ${quoteShort(alias)}`,
    remedy: `Add \`${quoteShort(alias)}: ID\` to cohorts of ${quoteShort(project)} in flagwright.yaml, or promote ${quoteShort(`cohort:${alias}`)} too.`,
  }),
  'cohort-renamed': ({ project }) => ({
    why: `its name differs in ${quoteShort(project)}, where it has no id in flagwright.yaml and is found by its name`,
    remedy: `Add its id to cohorts of ${quoteShort(project)} in flagwright.yaml, or keep the name with --only conditions,description.`,
  }),
  'role-unnamed': ({ role, project }) => ({
    why: `flagwright.yaml has no name for the role ${quoteShort(role)} of ${quoteShort(project)}`,
    remedy: 'Name it under roles of both projects.',
  }),
  'role-missing': ({ role, project }) => ({
    why: `the project ${quoteShort(project)} has no role ${quoteShort(role)}`,
    remedy: `Add \`${quoteShort(role)}: ID\` to roles of ${quoteShort(project)} in flagwright.yaml.`,
  }),
  'dependency-missing': ({ dependency, project }) => ({
    why: `it depends on ${quoteShort(dependency)}, which the manifests do not declare for ${quoteShort(project)}`,
    remedy: 'Promote both in one command.',
  }),
  'dependency-left': ({ chain }) => ({
    why: `it needs ${chainText(chain)}, which was left as it is`,
    remedy: `Fix the problem that is reported for ${quoteShort(chain.at(-1) ?? '')}, and promote them together.`,
  }),
};

const MOST_IN_CHAIN = 4;

/** `"a", which needs "b"`; of a long chain, only the ends. */
function chainText(chain: readonly string[]): string {
  const names = chain.map((name) => quoteShort(name));
  if (names.length <= MOST_IN_CHAIN) return names.join(', which needs ');
  const [first = '', second = ''] = names;
  return `${first}, which needs ${second} and, through ${names.length - 3} more, ${names.at(-1) ?? ''}`;
}

/** `Promoted: 2 flags in 1 file · 1 already the same · 1 value kept · 1 left.` */
export function promoteSummary(
  report: Pick<ReportOf<'promote'>, 'promoted' | 'same' | 'kept' | 'left' | 'files'>,
): string {
  const { promoted, same, kept, left, files } = report;
  const rest = [
    ...(same.length === 0 ? [] : [`${same.length} already the same`]),
    ...(kept.length === 0 ? [] : [`${count(kept.length, 'value')} kept`]),
    ...(left.length === 0 ? [] : [`${left.length} left`]),
  ];
  if (promoted.length === 0 && left.length === 0 && kept.length === 0) {
    return 'Nothing to promote: both projects declare the same.';
  }
  const verb = files.some(({ status }) => status === 'to_edit') ? 'To promote' : 'Promoted';
  const done =
    promoted.length === 0
      ? 'Nothing was promoted'
      : `${verb}: ${countNamed(promoted.map(({ key }) => key))} in ${count(files.length, 'file')}`;
  return `${[done, ...rest].join(' · ')}.`;
}

/** The reason that the other project keeps a value. */
export function keptReason({ reason }: KeptValue, { from, to }: Pick<ReportOf<'promote'>, 'from' | 'to'>): string {
  return reason === 'others'
    ? `kept: the manifests leave it to others in ${quoteShort(to)}`
    : `kept: the manifests do not manage it in ${quoteShort(from)}`;
}
