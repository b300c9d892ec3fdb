/** Sentences about a promotion: why a flag was left as it is, and the remedy. */

import type { KeptValue, LeftPromotion, PromotionReason } from '../../editing/results.ts';
import { quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { reasonWords, type ReasonWords } from './accepted.ts';
import { count, countNamed } from './amounts.ts';

export function leftPromotionText({ key, reason, place }: Omit<LeftPromotion, 'suggestion'>): string {
  const where = place === undefined ? '' : ` (${quoteShort(`${place.file}:${place.line}`)})`;
  const { why, remedy } = wordsFor(reason);
  return `${quoteShort(key)}${where} was left as it is: ${why} (${reason.code}). ${remedy}`;
}

type OwnReason = Exclude<PromotionReason, Parameters<typeof reasonWords>[0]>;
type PromotionWords = {
  readonly [Code in OwnReason['code']]: (reason: Extract<OwnReason, { readonly code: Code }>) => ReasonWords;
};

const WORDS: PromotionWords = {
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

function wordsFor(reason: PromotionReason): ReasonWords {
  const words = Object.hasOwn(WORDS, reason.code) ? WORDS[reason.code as OwnReason['code']] : undefined;
  return words === undefined
    ? reasonWords(reason as Exclude<PromotionReason, OwnReason>, quoteShort)
    : words(reason as never);
}

type PromotionCounts = Pick<ReportOf<'promote'>, 'promoted' | 'same' | 'kept' | 'left' | 'files'>;

/** `Promoted: 2 flags in 1 file · 1 already the same · 1 value kept · 1 left.` */
export function promoteSummary({ promoted, same, kept, left, files }: PromotionCounts): string {
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
