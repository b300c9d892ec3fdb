/** The sentences for the safety rules that a plan breaks, and the options that allow it. */

import type { Hazard } from '../../posthog/plan.ts';
import type { NumberHazard, Permit, ShareHazard } from '../../engine/safety.ts';
import type { Quote } from '../../engine/labels.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { amountsText } from './amounts.ts';
import { count } from './count.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { labelsOfPath } from './kinds.ts';
import { experimentsText, keysText } from './lists.ts';
import { nameOfPointer } from '../../posthog/flag/field-name.ts';
import { shellWord } from './shell.ts';
import { aliasIn } from '../../posthog/resource-path.ts';

export function hazardText(hazard: Hazard, quote: Quote = quoteShort): string {
  switch (hazard.code) {
    case 'deletes':
      return `${countedText(hazard)} would be deleted; the limit is ${limitText(hazard)}.`;
    case 'updates':
      return `${countedText(hazard)} would be updated; the limit is ${limitText(hazard)}.`;
    case 'disables':
      return `${count(hazard.count, 'active flag')} would be disabled; the limit is ${hazard.limit}.`;
    case 'deletes_percent':
      return `${shareText(hazard)} would be deleted; the limit is ${hazard.limit_percent}%.`;
    case 'updates_percent':
      return `${shareText(hazard)} would be updated; the limit is ${hazard.limit_percent}%.`;
    case 'manifests_shrunk':
      return `--prune would delete ${count(hazard.count, 'flag')}, but the manifests declare only ${hazard.kept} of the live flags. Are manifest files missing?`;
    case 'protected':
      return `${quote(hazard.key)} is protected, but the plan would ${hazard.action} it.`;
    case 'experiments':
      return `${quote(hazard.key)} would be deleted, but it is linked to ${experimentsText(hazard.experiments)}.`;
    case 'dependents':
      return `${quote(hazard.key)} would be ${hazard.action}d, but active flags depend on it (${keysText(hazard.dependents, quote)}).`;
    case 'cohort_used':
      return `${quote(hazard.key)} would be deleted, but ${usersText(hazard, quote)} still use it: conditions on a missing cohort match nobody.`;
    case 'lockout':
      return `${quote(hazard.key)} would lose the last role that can edit it.`;
    case 'own_access':
      return `${quote(hazard.key)} would lose its last manager, perhaps the owner of the API key, who could then not change its access again.`;
    case 'conflict':
      return conflictText(hazard, quote);
    case 'switched_off':
      return hazard.deleted === true
        ? `${quote(hazard.key)} was deleted in the service since the last apply, and the plan would restore it.`
        : `${quote(hazard.key)} was disabled in the service since the last apply, and the plan would enable it again.`;
    case 'dependency_left':
      return `${quote(hazard.dependent)} would depend on ${quote(hazard.key)}, ${LEFT[hazard.why]}. The plan leaves that as it is, and the service refuses both together.`;
  }
}

/** `4 flags and 3 cohorts`. */
function countedText({ count: flag, kinds = { flag } }: NumberHazard): string {
  return amountsText(kinds);
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

/** A hazard that is about what people did in the service. */
type Moved = Extract<Hazard, { code: 'conflict' | 'switched_off' | 'dependency_left' }>;

/** A way out of a refusal: what it means, and what to type or to write. */
export interface WayOut {
  readonly words: string;
  readonly text: string;
}

/**
 * The option that allows it. Where the plan would undo what people did, also how to accept that, and how to leave it alone.
 * `project`: its name, for commands.
 */
export function waysOut(hazard: Hazard, project: string | undefined): readonly WayOut[] {
  const { permit } = hazard;
  if (!isMoved(hazard)) {
    return [{ words: 'Allow it with', text: `${PERMIT_OPTIONS[permit.kind]} ${quoteShort(String(permit.value))}` }];
  }
  const key = shellWord(hazard.key);
  return [
    { words: 'To use what the manifests declare, add', text: `--override ${key}` },
    {
      words: 'To take over what is live, run',
      text: `flagwright accept ${isPruned(hazard) ? '--unmanaged ' : ''}${key}${project === undefined ? '' : ` -p ${shellWord(project)}`}`,
    },
    letGo(hazard),
  ];
}

function isMoved(hazard: Hazard): hazard is Moved {
  return hazard.code === 'conflict' || hazard.code === 'switched_off' || hazard.code === 'dependency_left';
}

function isPruned(hazard: Moved): boolean {
  return hazard.code === 'conflict' && hazard.pruned === true;
}

/** Cohorts have no ownership of parts. */
function letGo(hazard: Moved): WayOut {
  if (hazard.code === 'dependency_left') {
    const text = hazard.dependent;
    return {
      words: `To leave ${escapeLine(hazard.key)} as it is, remove the condition on it from the manifest of`,
      text,
    };
  }
  const alias = aliasIn(hazard.key);
  if (alias !== undefined) return { words: 'To leave the cohort to the service, remove its manifest:', text: alias };
  if (isPruned(hazard)) {
    const text = `scope: { exclude: [${stringifyJson(hazard.key)}] }`;
    return { words: 'To leave the flag to the service, declare in flagwright.yaml', text };
  }
  const paths = pathsOf(hazard);
  if (paths.length === 0) return { words: 'To leave the flag to the service, remove its manifest:', text: hazard.key };
  const entries = [...new Set(paths.map(nameOfPlace))].map((name) => `${name}: observed`);
  return { words: 'To leave it to the service, declare for the flag', text: `ownership: { ${entries.join(', ')} }` };
}

/** Empty where it is about the flag as a whole. */
function pathsOf(hazard: Exclude<Moved, { code: 'dependency_left' }>): readonly string[] {
  if (hazard.code === 'switched_off') return hazard.deleted === true ? [] : ['/active'];
  return hazard.action === 'delete' ? [] : hazard.paths;
}

/** As a key of a YAML mapping in braces. */
function nameOfPlace(pointer: string): string {
  const name = nameOfPointer(pointer);
  return /^[a-z][\w.-]*$/i.test(name) ? name : stringifyJson(name);
}

function conflictText(hazard: Extract<Moved, { code: 'conflict' }>, quote: Quote): string {
  const { ref, key, action, paths } = hazard;
  if (action === 'delete')
    return `${quote(key)} was edited in the service since the last apply, and the plan would delete it.`;
  if (paths.length === 0)
    return `${quote(key)} was deleted in the service since the last apply, and the manifests changed it.`;
  const labels = [...new Set(paths.map((path) => labelsOfPath(ref, path).field(path)))];
  return `${quote(key)} was changed in the service and in the manifests since the last apply, and the changes do not fit together: ${keysText(labels, quote)}.`;
}

function usersText({ flags, cohorts }: Extract<Hazard, { code: 'cohort_used' }>, quote: Quote): string {
  const parts = [
    ...(flags.length === 0 ? [] : [`${count(flags.length, 'flag')} (${keysText(flags, quote)})`]),
    ...(cohorts.length === 0 ? [] : [`${count(cohorts.length, 'cohort')} (${keysText(cohorts, quote)})`]),
  ];
  return parts.join(' and ');
}

const PERMIT_OPTIONS: Readonly<Record<Permit['kind'], string>> = {
  deletes: '--allow-deletes',
  updates: '--allow-updates',
  disables: '--allow-disables',
  protected: '--allow-protected',
  risky: '--allow-risky',
  override: '--override',
};
