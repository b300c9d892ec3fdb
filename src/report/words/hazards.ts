/** The sentences for the safety rules that a plan breaks, and the options that allow it. */

import type { Hazard } from '../../posthog/plan.ts';
import type { Permit } from '../../engine/safety.ts';
import type { Quote } from '../../engine/labels.ts';
import { quoteShort } from '../escape.ts';
import { count } from './count.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { labelsOfPath } from './kinds.ts';
import { experimentsText, keysText } from './lists.ts';
import { nameOfPointer } from '../../posthog/flag/field-name.ts';
import { shellWord } from './shell.ts';

export function hazardText(hazard: Hazard, quote: Quote = quoteShort): string {
  switch (hazard.code) {
    case 'deletes':
      return `${count(hazard.count, 'flag')} would be deleted; the limit is ${hazard.limit}.`;
    case 'updates':
      return `${count(hazard.count, 'flag')} would be updated; the limit is ${hazard.limit}.`;
    case 'disables':
      return `${count(hazard.count, 'active flag')} would be disabled; the limit is ${hazard.limit}.`;
    case 'deletes_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be deleted; the limit is ${hazard.limit_percent} %.`;
    case 'updates_percent':
      return `${hazard.count} of ${count(hazard.of, 'flag')} would be updated; the limit is ${hazard.limit_percent} %.`;
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
      return `${quote(hazard.key)} was disabled in the service since the last apply, and the plan would enable it again.`;
  }
}

/** A hazard that is about what people did in the service. */
type Moved = Extract<Hazard, { code: 'conflict' | 'switched_off' }>;

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
  if (hazard.code !== 'conflict' && hazard.code !== 'switched_off') {
    return [{ words: 'Allow it with', text: `${PERMIT_OPTIONS[permit.kind]} ${quoteShort(String(permit.value))}` }];
  }
  const key = shellWord(hazard.key);
  return [
    { words: 'To use what the manifests declare, add', text: `--override ${key}` },
    {
      words: 'To take over what is live, run',
      text: `flagwright accept ${key}${project === undefined ? '' : ` -p ${shellWord(project)}`}`,
    },
    letGo(hazard),
  ];
}

function letGo(hazard: Moved): WayOut {
  const paths = hazard.code === 'conflict' ? hazard.paths : ['/active'];
  if (hazard.code === 'conflict' && hazard.action === 'delete') {
    const words =
      'To leave the flag to the service, remove its manifest, or where --prune deletes it, declare in flagwright.yaml';
    return { words, text: `scope: { exclude: [${stringifyJson(hazard.key)}] }` };
  }
  if (paths.length === 0) return { words: 'To leave the flag to the service, remove its manifest:', text: hazard.key };
  const entries = [...new Set(paths.map(nameOfPlace))].map((name) => `${name}: observed`);
  return { words: 'To leave it to the service, declare for the flag', text: `ownership: { ${entries.join(', ')} }` };
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
  return `${quote(key)} was changed in the service since the last apply, and the manifests changed the same place: ${keysText(labels, quote)}.`;
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
