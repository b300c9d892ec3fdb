/** The ways out of a refusal by a safety rule: what to do instead, the exception, and the option; and the command that says more. */

import { stringifyJson } from '../../base/json-text.ts';
import { exceptedBy, PERMIT_OPTIONS } from '../../core/engine/exceptions.ts';
import { upperFirst } from '../../base/text.ts';
import { nameOfPointer } from '../../posthog/flag/model/fields.ts';
import { isOfMain, readName } from '../../posthog/names/resource-name.ts';
import type { Hazard, Plan } from '../../posthog/plan.ts';
import { escapeLine, quoteShort, shellWord } from '../escape.ts';
import type { Grantors } from '../../review/policy/exceptions.ts';
import { experimentNames, experimentsText } from './amounts.ts';
import { getException, readsText } from './rules.ts';

/** A hazard that is about what people did in the service. */
type Moved = Extract<Hazard, { code: 'conflict' | 'switched_off' | 'dependency_left' }>;

export interface WayOut {
  /** A whole sentence if it has no text. */
  readonly words: string;
  readonly text?: string;
}

/** Where a plan is refused, and who may lift that. */
export interface RefusedWhere {
  /** Its name, for commands. */
  readonly project: string | undefined;
  /** Absent: no exception of a file counts in such a run. */
  readonly grantors?: Grantors | undefined;
  /** What the plan was compared with. */
  readonly base?: Plan['base'] | undefined;
}

/**
 * What to do instead comes first, then the exception, then the option for one run. `keys`: of all that the same is said of.
 */
export function waysOut(
  hazard: Hazard,
  { project, grantors, base }: RefusedWhere,
  keys: readonly string[] = 'key' in hazard ? [hazard.key] : [],
): readonly WayOut[] {
  const { permit } = hazard;
  const excepted = exceptedBy(hazard);
  // Neither `off` nor `undo` makes what manifests declare.
  const isOfManifests = grantors !== undefined;
  const canLeave = isOfManifests && base?.kind === 'commit';
  const safe = isMoved(hazard)
    ? waysToAgree(hazard, { project, canLeave }, keys)
    : waysToPrepare(hazard, { project, isOfManifests });
  if (permit === undefined || excepted === undefined) return safe;
  const { rule, most } = excepted;
  const values = keys.length > 0 ? keys : [String(permit.value)];
  const quoted = isMoved(hazard) ? values.map(shellWord) : values.map((value) => quoteShort(value));
  const option = quoted.map((value) => `${PERMIT_OPTIONS[permit.kind]} ${value}`).join(' ');
  const about = most !== undefined ? `most: ${most}` : `keys: [${values.map(yamlWord).join(', ')}]`;
  const names = grantors === 'anybody' ? undefined : grantors;
  return [
    ...safe,
    ...(!isOfManifests
      ? []
      : [{ words: `Or ${getException(names)}, in exceptions.yaml:`, text: `rule: ${rule}, ${about}` }]),
    {
      words: upperFirst(`${safe.length > 0 || isOfManifests ? 'or ' : ''}${verbOf(hazard)} in this run with`),
      text: option,
    },
  ];
}

function verbOf(hazard: Hazard): string {
  if (!isMoved(hazard)) return 'allow it';
  return hazard.code === 'switched_off' && hazard.deleted !== true
    ? 'turn it back on'
    : 'use what the manifests declare,';
}

/** To accept what people did, to leave it in this run, and to leave it alone for good. */
function waysToAgree(
  hazard: Moved,
  { project, canLeave }: { readonly project: string | undefined; readonly canLeave: boolean },
  keys: readonly string[],
): readonly WayOut[] {
  const options = `${isPruned(hazard) ? '--unmanaged ' : ''}${keys.map(shellWord).join(' ')}`;
  const text = `flagwright accept ${options}${project === undefined ? '' : ` -p ${shellWord(project)}`}`;
  return [
    { words: 'To write what is live into the manifests, run', text },
    ...(canLeave && hazard.code === 'switched_off'
      ? [{ words: 'To apply everything else, add', text: '--only-pending' }]
      : []),
    wayToRelease(hazard, keys),
  ];
}

/** What the change can do instead, or what can be done before it. */
function waysToPrepare(
  hazard: Exclude<Hazard, Moved>,
  { project, isOfManifests }: { readonly project: string | undefined; readonly isOfManifests: boolean },
): readonly WayOut[] {
  switch (hazard.code) {
    case 'deletes':
    case 'deletes_percent':
    case 'updates':
    case 'updates_percent':
    case 'disables':
      return [{ words: 'Split the change into smaller ones.' }];
    case 'manifests_shrunk':
      return [{ words: 'First check that every manifest is checked out and matched by `manifests`.' }];
    case 'protected':
      return isOfManifests
        ? [{ words: 'Leave it unchanged in the manifests, or first unprotect it in a separate change.' }]
        : [];
    case 'read_by_code':
      return [{ words: 'First remove the code that reads it:', text: readsText(hazard) }];
    case 'early_access_unmanaged':
      return [{ words: 'Declare the flag in a manifest:', text: hazard.flag }];
    case 'lockout':
    case 'own_access':
      return [{ words: 'Keep somebody who can edit it, in the manifest of', text: hazard.key }];
    case 'schedule_conflict':
      return [{ words: 'First, in PostHog, cancel or wait for the scheduled change of', text: hazard.key }];
    case 'dependents':
      return waysToFree(hazard, project);
    case 'dependencies_disabled':
      return [
        { words: 'To enable what it depends on, too, declare', text: switchText(hazard.first, true) },
        { words: 'To enable it alone, remove the conditions on disabled flags from the manifest of', text: hazard.key },
      ];
    case 'experiments':
      return [{ words: 'First, in PostHog, end', text: experimentsText(hazard.experiments) }];
    case 'experiment_variants':
      return [
        { words: 'Declare again', text: hazard.variants.join(', ') },
        { words: 'First, in PostHog, end', text: experimentNames(hazard.experiments) },
      ];
    case 'replay_linked':
      return [{ words: 'First, in the settings of session replay, remove', text: hazard.key }];
    case 'early_access_refused':
      return [{ words: 'Declare for it a flag without variants, for persons, under', text: 'flag' }];
    case 'early_access_linked':
      return [{ words: 'First, in PostHog, delete the early access feature', text: hazard.feature }];
    case 'cohort_used': {
      const text = [...hazard.flags, ...hazard.cohorts.map((name) => `cohort ${name}`)].join(', ');
      return [{ words: 'First remove the conditions on it from', text }];
    }
  }
}

function waysToFree(
  { key, action, dependents, first = dependents, conditions }: Extract<Hazard, { code: 'dependents' }>,
  project: string | undefined,
): readonly WayOut[] {
  const numbers = Array.from({ length: conditions ?? 0 }, (_, index) => `${index + 1}: { rollout_percentage: 0 }`);
  const zero = `projects: { ${yamlKey(project ?? 'PROJECT')}: { conditions: { ${numbers.join(', ')} } } }`;
  return [
    { words: 'To disable what depends on it, too, declare', text: switchText(first, false) },
    { words: `To keep that enabled, remove the conditions on ${quoteShort(key)} from`, text: dependents.join(', ') },
    ...(action === 'delete' || conditions === undefined
      ? []
      : [{ words: 'To leave it enabled with 0% in every condition, declare for it', text: zero }]),
  ];
}

const MOST_SWITCHES = 20;

/** An apply finds the order by itself; by hand it is that of the list. */
function switchText(keys: readonly string[], active: boolean): string {
  const shown = keys.slice(0, MOST_SWITCHES).map((key) => `${yamlKey(key)}: { active: ${active} }`);
  const hidden = keys.length - shown.length;
  return `flags: { ${shown.join(', ')} }${hidden === 0 ? '' : ` and ${hidden} more, which JSON lists as "first"`}`;
}

function yamlKey(name: string): string {
  return /^[a-z][\w.-]*$/i.test(name) && !/^(true|false|null)$/i.test(name) ? name : stringifyJson(name);
}

function yamlWord(name: string): string {
  return /^[a-z][\w.:/-]*$/i.test(name) && !/^(true|false|null)$|:$/i.test(name) ? name : stringifyJson(name);
}

function isMoved(hazard: Hazard): hazard is Moved {
  return hazard.code === 'conflict' || hazard.code === 'switched_off' || hazard.code === 'dependency_left';
}

function isPruned(hazard: Moved): boolean {
  return hazard.code === 'conflict' && hazard.pruned === true;
}

/** Cohorts have no ownership of parts. */
function wayToRelease(hazard: Moved, keys: readonly string[]): WayOut {
  if (hazard.code === 'dependency_left') {
    const words = `To leave ${escapeLine(hazard.key)} as it is, remove the condition on it from the manifest of`;
    return { words, text: hazard.dependent };
  }
  if (!isOfMain(hazard.key)) {
    const { kind } = readName(hazard.key);
    const text = keys.map((name) => readName(name).key).join(', ');
    return { words: `To leave the ${kind} to the service, remove its manifest:`, text };
  }
  if (isPruned(hazard)) {
    const text = `scope: { exclude: [${keys.map((key) => stringifyJson(key)).join(', ')}] }`;
    return { words: 'To leave the flag to the service, declare in flagwright.yaml', text };
  }
  const paths = pathsOf(hazard);
  if (paths.length === 0) {
    return { words: 'To leave the flag to the service, remove its manifest:', text: keys.join(', ') };
  }
  const names = new Set(paths.map((pointer) => yamlKey(nameOfPointer(pointer))));
  const entries = [...names].map((name) => `${name}: observed`);
  return { words: 'To leave it to the service, declare for the flag', text: `ownership: { ${entries.join(', ')} }` };
}

/** Empty where it is about the flag as a whole. */
function pathsOf(hazard: Exclude<Moved, { code: 'dependency_left' }>): readonly string[] {
  if (hazard.code === 'switched_off') return hazard.deleted === true ? [] : (hazard.off?.paths ?? ['/active']);
  return hazard.action === 'delete' ? [] : hazard.paths;
}

/** `project`: its name. */
export function activityNote(key: string, project: string): string {
  return `Every edit of the flag: flagwright flags activity ${shellWord(key)} -p ${shellWord(project)}`;
}
