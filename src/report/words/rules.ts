/** The sentences about safety rules and policies that a plan breaks. */

import { groupBy } from '../../base/group.ts';
import { docsPage } from '../../base/wording.ts';
import { defined } from '../../base/optional.ts';
import type { Quote } from '../../posthog/names/resource-name.ts';
import type { CodeReads, NumberHazard, ShareHazard, WrittenOrigin } from '../../core/engine/safety.ts';
import type { Lifted } from '../../core/engine/exceptions.ts';
import type { Wording } from '../../review/policy/basis/policy-kind.ts';
import { type BrokenRule, levelOf, liftedOf, originOf, ruleOf, setByOf } from '../../review/policy/broken-rules.ts';
import { areOfBuiltIn, policyKindOf } from '../../review/policy/built-in.ts';
import type { Finding, PolicySource } from '../../review/policy/finding.ts';
import type { ExceptionReport } from '../../review/policy/exceptions.ts';
import { OWN } from '../../review/policy/rules/own.ts';
import type { TurnedOff } from '../../posthog/flag/snapshot.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Hazard } from '../../posthog/plan.ts';
import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { amountsText, count, experimentNames, experimentsText, keysText, timeText } from './amounts.ts';
import { reasonTail } from './authors.ts';
import { shortCommit } from './base.ts';
import { labelsOfPath } from './kinds.ts';

/** `checkout is protected, but the plan would delete it (protected).` */
export function brokenRuleText(broken: BrokenRule, quote: Quote = quoteShort): string {
  if (broken.sort === 'policy') return findingText(broken.finding, quote);
  const { hazard } = broken;
  const [text, end] = hazardSentence(hazard, quote);
  const rule = quote(hazard.code);
  return end === '.' ? `${text} (${rule}).` : `${text}${end} (${rule})`;
}

/** `Rule: flagwright.yaml:6:7 at commit 1a2b3c4d5e6f.` Nothing for a safety rule that always holds. */
export function ruleSourceText(broken: BrokenRule, quote: Quote = quoteShort): string | undefined {
  if (broken.sort === 'policy') {
    const { policy: place, commit } = broken.finding;
    return writtenText({ place, ...defined({ commit }) }, quote);
  }
  const origin = originOf(broken);
  switch (origin?.from) {
    case undefined:
      return undefined;
    case 'default':
      return `Rule: the default of ${setByOf(broken)}.`;
    case 'run':
      return 'Rule: the number that this run allows.';
    case 'configuration':
      return writtenText(origin, quote);
  }
}

export function writtenText({ place, commit }: Omit<WrittenOrigin, 'from'>, quote: Quote = quoteShort): string {
  const base = commit === undefined ? '' : ` at commit ${shortCommit(commit)}`;
  return `Rule: ${quote(`${place.file}:${place.line}:${place.column}`)}${base}.`;
}

export function hazardText(hazard: Hazard, quote: Quote = quoteShort): string {
  return hazardSentence(hazard, quote).join('');
}

/** A sentence, and its end, before which the name of the rule may stand. */
function hazardSentence(hazard: Hazard, quote: Quote): readonly [text: string, end: '.' | '?'] {
  return [`${stepText(hazard)}${factsText(hazard, quote)}`, hazard.code === 'manifests_shrunk' ? '?' : '.'];
}

function factsText(hazard: Hazard, quote: Quote): string {
  switch (hazard.code) {
    case 'deletes':
      return `${amountsText(hazard.kinds ?? { flag: hazard.count })} would be deleted; the limit is ${limitText(hazard)}`;
    case 'updates':
      return `${amountsText(hazard.kinds ?? { flag: hazard.count })} would be updated; the limit is ${limitText(hazard)}`;
    case 'disables':
      return `${count(hazard.count, 'active flag')} would be disabled; the limit is ${hazard.limit}`;
    case 'deletes_percent':
      return `${shareText(hazard)} would be deleted; the limit is ${hazard.limit_percent}%`;
    case 'updates_percent':
      return `${shareText(hazard)} would be updated; the limit is ${hazard.limit_percent}%`;
    case 'manifests_shrunk':
      return `--prune would delete ${count(hazard.count, 'flag')}, but the manifests declare only ${hazard.kept} of the live flags. Are manifest files missing`;
    case 'protected':
      return `${quote(hazard.key)} is protected, but the plan would ${hazard.action} it`;
    case 'experiments':
      return `${quote(hazard.key)} would be deleted, but it is linked to ${experimentsText(hazard.experiments)}${hazard.permit === undefined ? ', and one of them runs' : ''}${refusedText(hazard)}`;
    case 'experiment_variants':
      return `${quote(hazard.key)} would lose ${hazard.variants.length === 1 ? 'the variant' : 'the variants'} ${keysText(hazard.variants, quote)}, and ${experimentNames(hazard.experiments, quote)} ${hazard.experiments.length === 1 ? 'runs' : 'run'} on it${refusedText(hazard)}`;
    case 'replay_linked':
      return `${quote(hazard.key)} would be deleted, but the settings of session replay name it${refusedText(hazard)}`;
    case 'dependents':
      return `${quote(hazard.key)} would be ${hazard.action}d, but active flags depend on it (${keysText(hazard.dependents, quote)})${refusedText(hazard)}`;
    case 'dependencies_disabled':
      return `${quote(hazard.key)} would be enabled, but it depends on disabled flags (${keysText(hazard.dependencies, quote)})${refusedText(hazard)}`;
    case 'cohort_used':
      return `${quote(hazard.key)} would be deleted, but ${usersText(hazard, quote)} still use it: conditions on a missing cohort match nobody${refusedText(hazard)}`;
    case 'early_access_unmanaged':
      return `${quote(hazard.key)} would ${ENROLLMENT[hazard.enrollment](quote(hazard.flag))}, which no manifest declares`;
    case 'early_access_refused':
      return `${quote(hazard.key)} would be created for the flag ${quote(hazard.flag)}, ${FLAG_PROBLEM[hazard.why]}${refusedText(hazard)}`;
    case 'early_access_linked':
      return `${quote(hazard.key)} would be deleted, but it has the early access feature ${quote(hazard.feature)}${refusedText(hazard)}`;
    case 'read_by_code':
      return `${quote(hazard.key)} would be ${hazard.action}d, but code still reads ${hazard.read === undefined ? 'it' : quote(hazard.read)} (${readsText(hazard)})`;
    case 'lockout':
      return `${quote(hazard.key)} would lose the last role that can edit it`;
    case 'own_access':
      return `${quote(hazard.key)} would lose its last manager, perhaps the owner of the API key, who could then not change its access again`;
    case 'conflict':
      return conflictText(hazard, quote);
    case 'switched_off':
      if (hazard.off !== undefined) return turnedOffText({ ...hazard, off: hazard.off }, quote);
      if (hazard.edit !== undefined) {
        const { at, by } = hazard.edit;
        return `${quote(hazard.key)} was turned off${by === undefined ? '' : ` by ${quote(by)}`} on ${timeText(at)}, after the checked-out commit was made; the plan would turn it on again`;
      }
      return hazard.deleted === true
        ? `${quote(hazard.key)} was deleted in the service since the last apply, and the plan would restore it`
        : `${quote(hazard.key)} was disabled in the service since the last apply, and the plan would enable it again`;
    case 'schedule_conflict':
      return `${quote(hazard.key)} would change, but the service is to change its ${hazard.parts.join(' and ')} too, from ${quote(timeText(hazard.at))} on (${hazard.schedules.length === 1 ? 'schedule' : 'schedules'} ${hazard.schedules.join(', ')})`;
    case 'dependency_left':
      return `${quote(hazard.dependent)} would depend on ${quote(hazard.key)}, ${LEFT[hazard.why]}. The plan leaves that as it is, and the service refuses both together`;
  }
}

const ENROLLMENT = {
  starts: (flag: string): string => `let people who enrolled have the flag ${flag}`,
  ends: (flag: string): string => `take the flag ${flag} from people who enrolled`,
};

const FLAG_PROBLEM = {
  missing: 'which does not exist',
  deleted: 'which is deleted',
  experiment: 'which belongs to an experiment',
  groups: 'which is for groups',
  variants: 'which has variants',
};

/** The text for a hazard that no permission lifts, because the service decides. */
function refusedText({ permit }: Pick<Hazard, 'permit'>): string {
  return permit === undefined ? '. The service refuses that, and nothing here lifts it' : '';
}

function limitText({ limit, kinds = {} }: NumberHazard): string {
  return Object.keys(kinds).length > 1 ? `${limit} in all` : String(limit);
}

/** `7 of 12 flags`. */
function shareText({ count: part, of, resource = 'flag' }: ShareHazard): string {
  return `${part} of ${amountsText({ [resource]: of })}`;
}

const LEFT: Readonly<Record<Extract<Hazard, { code: 'dependency_left' }>['why'], string>> = {
  deleted: 'which the service no longer has',
  disabled: 'which was disabled in the service',
  cycle: 'which was made to depend on it in the service',
};

function conflictText(hazard: Extract<Hazard, { code: 'conflict' }>, quote: Quote): string {
  const { ref, key, action, paths } = hazard;
  if (action === 'delete')
    return `${quote(key)} was edited in the service since the last apply, and the plan would delete it`;
  if (paths.length === 0)
    return `${quote(key)} was deleted in the service since the last apply, and the manifests changed it`;
  const labels = [...new Set(paths.map((path) => labelsOfPath(ref, path).field(path)))];
  return `${quote(key)} was changed in the service and in the manifests since the last apply, and the changes do not fit together: ${keysText(labels, quote)}`;
}

function usersText({ flags, cohorts }: Extract<Hazard, { code: 'cohort_used' }>, quote: Quote): string {
  const parts = [
    ...(flags.length === 0 ? [] : [`${count(flags.length, 'flag')} (${keysText(flags, quote)})`]),
    ...(cohorts.length === 0 ? [] : [`${count(cohorts.length, 'cohort')} (${keysText(cohorts, quote)})`]),
  ];
  return parts.join(' and ');
}

export const REFUSALS: Readonly<Record<RefusedInversion['refusal'], string>> = {
  moved: 'changed after the run',
  gone: 'no longer exists in the service',
  secret: 'its previous payloads are encrypted, so the journal does not contain them',
  unwritable: 'no request writes back what was there before',
};

type LongQuote = (text: string, limit?: number) => string;

const LONGEST = 300;

/** `shop-x turns on for …; at most 25 are allowed (max-widen).` */
export function findingText(finding: Finding, quote: LongQuote = quoteShort): string {
  const name = quote(nameOfChange(finding as Pick<Change, 'resource' | 'key'>));
  const { facts, resource, rule } = finding;
  const wording: Wording = {
    resource: resource as Change['resource'],
    quote,
    names: (names) => keysText(names, quote),
    count,
  };
  const text = areOfBuiltIn(facts) ? policyKindOf(facts.what).text(facts, wording) : OWN.text(facts, wording);
  return `${stepText(finding)}${name} ${text} (${quote(rule)}).`;
}

function stepText({ step, due = step, jump_since: since }: Pick<Finding, 'step' | 'due' | 'jump_since'>): string {
  if (step === undefined || due === undefined) return '';
  return since === undefined
    ? `Step of ${timeText(due)}: `
    : `Late run, all steps from ${timeText(since)} to ${timeText(step)} at once: `;
}

/** `Approved by ann.`, `Exception by ann until 2026-12-31: an old name.`; it says if the run knows no approval that proves it. */
export function liftedText(lifted: Lifted, quote: LongQuote = quoteShort): string {
  switch (lifted.by) {
    case 'option':
      return `Allowed by ${lifted.option}.`;
    case 'approval':
      return `Approved by ${quote(lifted.approver)}.`;
    case 'exception': {
      const { granted_by: grantor, until, reason, proof } = lifted;
      const granted = `Exception by ${quote(grantor)} until ${quote(until)}: ${quote(reason, LONGEST)}.`;
      if (proof !== 'none') return granted;
      // An exception names who grants it, but anybody who can write the file can write the name.
      return `${granted} Unproved: the file names ${quote(grantor)}, and this run knows no approval of ${quote(grantor)}. To prove it: ${quote('--approved-by')} ${quote(grantor)}.`;
    }
  }
}

/** The page that says what to do about each rule. */
export const EXCEPTIONS_PAGE = docsPage('exceptions');

/** `get an exception from ann or bob`; `grantors`: absent: anybody. */
export function getException(grantors: readonly string[] | undefined, quote: LongQuote = quoteShort): string {
  const [last = '', ...others] = (grantors ?? []).map((name) => quote(name)).toReversed();
  const names = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
  return names === '' ? 'get an exception' : `get an exception from ${names}`;
}

export function remedyText(
  { level, facts, approvers }: Pick<Finding, 'level' | 'facts' | 'approvers'>,
  quote: LongQuote = quoteShort,
): string {
  if (facts.what === 'own_exhausted')
    return 'Change fewer flags at once, or have the expression of the rule shortened.';
  if (level !== 'approve') return `Change the manifests, or ${getException(approvers, quote)}.`;
  if (approvers === undefined) return `Needs an approval: ${quote('--approved-by')} NAME.`;
  return `Needs an approval of ${approvers.length === 1 ? '' : 'one of '}${keysText(approvers, quote)}: ${quote('--approved-by')} NAME.`;
}

/** The source of the policies, if a reader would not expect it. */
export function sourceText(source: PolicySource): string | undefined {
  if (source.from === 'base') {
    return source.differs
      ? `The policies are those of commit ${source.commit.slice(0, 12)}; a change of \`policies\` counts once it is applied.`
      : undefined;
  }
  return CHECKOUT[source.why];
}

const CHECKOUT: Readonly<Record<Extract<PolicySource, { from: 'checkout' }>['why'], string | undefined>> = {
  no_base: undefined,
  no_file: 'The base does not have the configuration file: the policies are those of the checkout.',
  invalid: 'The policies of the base cannot be read: those of the checkout are used.',
};

/** `The exception from max-widen for search (exceptions.yaml:3:5) expired on 2026-10-15.` */
export function exceptionText(found: ExceptionReport, quote: LongQuote = quoteShort): string {
  const { rules, keys, most, source } = found;
  const about = keys === undefined ? `up to ${most ?? 0}` : keysText(keys, quote);
  const one = `The exception from ${keysText(rules, quote)} for ${about} (${quote(placeText(source))})`;
  return `${one} ${EXCEPTION[found.code](found, quote)}.`;
}

const EXCEPTION: Readonly<Record<ExceptionReport['code'], (found: ExceptionReport, quote: LongQuote) => string>> = {
  exception_used: ({ lifts = [] }, quote) => `lifts ${keysText([...new Set(lifts.map(({ rule }) => rule))], quote)}`,
  exception_unused: ({ needed }) =>
    needed === undefined
      ? 'lifts nothing of this plan: remove it once it has served its purpose'
      : `is too small: the plan makes ${needed}`,
  exception_unmatched: () => 'matches no declared or live flag, so it lifts nothing',
  exception_expired: ({ until }, quote) => `expired on ${quote(until)}: remove it, or have a new one granted`,
  exception_not_approved: ({ granted_by: grantor }, quote) =>
    `is not in what was applied last: it counts once ${quote(grantor)} approves this change (${quote('--approved-by')} ${quote(grantor)})`,
  exception_not_approver: ({ granted_by: grantor }, quote) =>
    `lifts nothing: ${quote(grantor)} is not one of the approvers`,
};

/** What one rule of one place breaks: a list shows it as one item. */
export function byRule(broken: readonly BrokenRule[]): readonly (readonly BrokenRule[])[] {
  return [...groupBy(broken, (one) => `${one.sort} ${ruleOf(one)} ${ruleSourceText(one) ?? ''}`).values()];
}

/** `2 errors, 1 to approve, 1 warning, 1 lifted`, counted as the lists show them; nothing where nothing is broken. */
export function brokenRulesSummary(broken: readonly BrokenRule[]): string | undefined {
  const lifted = broken.filter((one) => liftedOf(one) !== undefined);
  const rules = byRule(broken.filter((one) => !lifted.includes(one)));
  const amount = (level: Finding['level']): number =>
    rules.filter(([one]) => levelOf(one as BrokenRule) === level).length;
  const [errors, approvals, warnings] = [amount('error'), amount('approve'), amount('warning')];
  const parts = [
    ...(errors === 0 ? [] : [count(errors, 'error')]),
    ...(approvals === 0 ? [] : [`${approvals} to approve`]),
    ...(warnings === 0 ? [] : [count(warnings, 'warning')]),
    ...(lifted.length === 0 ? [] : [`${lifted.length} lifted`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** `"checkout" was turned off by ada@laptop on … with off (run …): "incident 12". The plan would turn it on again.` */
function turnedOffText(
  { key, deleted, off }: { readonly key: string; readonly deleted?: true; readonly off: TurnedOff },
  quote: Quote,
): string {
  const run = `\`flagwright off\` (run ${quote(off.run)})`;
  const who = off.by === undefined ? undefined : quote(off.by);
  const reason = reasonTail(off, quote);
  // Somebody deleted it afterwards.
  const restores = deleted === true ? 'restore it, now deleted, and ' : '';
  if (off.already === true) {
    return `${quote(key)} was off already when ${who ?? 'somebody'} ran ${run} on ${timeText(off.at)}${reason}. The plan would ${restores}turn it on`;
  }
  const act = off.paths.includes('/active') ? 'turned off' : 'set to 0%';
  return `${quote(key)} was ${act}${who === undefined ? '' : ` by ${who}`} on ${timeText(off.at)} with ${run}${reason}. The plan would ${restores}revert that`;
}

/** `src/app.ts:12:5, src/page.ts:3:1 and 4 more`. */
export function readsText({ count: all, places }: CodeReads): string {
  const named = places
    .map(
      ({ place, repository }) => `${repository === undefined ? '' : `${escapeLine(repository)}: `}${placeText(place)}`,
    )
    .join(', ');
  return all > places.length ? `${named} and ${all - places.length} more` : named;
}
